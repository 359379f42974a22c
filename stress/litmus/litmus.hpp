// SPDX-License-Identifier: MIT
// A litmus table: two calls at once on one timer, and every outcome that there may and may not be. An outcome is what
// each call returned and when the timer ran, in words; what no row names is forbidden.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace litmus {

class arena;

struct row {
  const char* outcome;
  bool allowed;
  const char* why;
};

// What becomes of the timer X before the two calls begin.
enum class beginning : std::uint8_t {
  queued,      // scheduled, not taken up, not due
  armed,       // taken up, not due
  due,         // taken up, and its time has come
  dispatched,  // in the hands of an executor
  none         // there is no X yet
};
enum class callback_kind : std::uint8_t { once, rearms_once, periodic };

struct pair {
  const char* name;
  beginning x;
  callback_kind kind = callback_kind::once;
  bool executor = false;     // callbacks are handed over; else they run inside poll()
  bool ends_engine = false;  // each round needs an engine of its own
  // By two threads at once. They return what goes into the outcome; empty: nothing.
  std::function<std::string(arena&)> left;
  std::function<std::string(arena&)> right;
  std::vector<row> rows;
};

std::vector<pair> cancel_pairs();
std::vector<pair> restart_pairs();
std::vector<pair> stop_pairs();

}  // namespace litmus
