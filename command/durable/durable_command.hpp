// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <string>

namespace detent::tool {

// The options as the user typed them. An empty one stands for its default.
struct durable_options {
  enum class action : std::uint8_t { list, show, cancel, revive };

  action what = action::list;
  std::string store;  // a file, or a URL: store_url.hpp
  std::string key;    // of list the first bytes of it, else all
  std::string partition, handler;
  std::string from, until;  // times with Z or an offset
  bool dead = false;
  std::uint64_t limit = 100;
};

struct durable_result {
  std::string text;
  bool failed = false;  // there is no such timer
};

// Timers as their store has them. Throws input_error.
durable_result take_durable(const durable_options& options);

}  // namespace detent::tool
