// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace detent::tool {

// The options as the user typed them. An empty one stands for its default. In keys, partitions and handlers \xNN is a
// byte and \\ a backslash, as they are printed.
struct durable_options {
  enum class action : std::uint8_t { list, show, get, put, move, cancel, revive, purge, migrate };

  action what = action::list;
  std::string store;                     // a file, or a URL: store_url.hpp
  std::optional<std::string> key;        // of one timer
  std::optional<std::string> partition;  // none: of one timer whichever it is in, of a query any
  std::string prefix, handler;           // the query: the first bytes of the key
  std::string from, until;               // times with Z or an offset, or "now"
  bool dead = false;
  bool all = false;  // every timer, where a query has no other word
  std::uint64_t limit = 100;
  std::string after;               // as `list` has said
  std::string due, in;             // of put and move: one of them
  std::string payload;             // @FILE, - for standard input, or the bytes
  std::string if_exists = "keep";  // or replace, fail
  bool yes = false, json = false, print = false;
};

struct durable_result {
  std::string text = {};
  bool failed = false;                       // not done, or in part: there is no such timer, one runs, no consent
  std::vector<std::string> complaints = {};  // for standard error; no failure
};

// Timers as their store has them. Throws input_error and usage_error.
durable_result take_durable(const durable_options& options);

}  // namespace detent::tool
