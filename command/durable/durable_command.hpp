// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace detent::tool {

// The options as the user typed them. An empty one stands for its default. In keys, partitions and handlers, \xNN is a
// byte and \\ is a backslash, which is also how they are printed.
struct durable_options {
  enum class action : std::uint8_t { list, show, get, put, move, cancel, revive, purge, migrate };

  action what = action::list;
  std::string store;                     // a file, or a URL as in store_url.hpp
  std::optional<std::string> key;        // names one timer
  std::optional<std::string> partition;  // without it, a query looks in all, and a key must be in only one
  std::string prefix, handler;           // of a query: the first bytes of the key; the handler
  std::string from, until;               // times with Z or an offset, or "now"
  bool dead = false;
  bool all = false;  // a query without other words, for every timer
  std::uint64_t limit = 100;
  std::string after;               // as printed by `list`
  std::string due, in;             // for put and move, which take one of them
  std::string payload;             // @FILE, - for standard input, or the text itself
  std::string if_exists = "keep";  // or replace or fail
  bool yes = false, json = false, print = false;
};

struct durable_result {
  std::string text = {};
  // Not done, or only partly: there is no such timer, one is running, or no consent.
  bool failed = false;
  std::vector<std::string> complaints = {};  // for standard error, without being a failure
};

// Carries out `detent durable`. Throws input_error and usage_error.
durable_result take_durable(const durable_options& options);

}  // namespace detent::tool
