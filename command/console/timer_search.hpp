// SPDX-License-Identifier: MIT
#pragma once
#include <detent/durable_store.hpp>

#include <chrono>
#include <set>
#include <string>
#include <vector>

#include "page/console_view.hpp"

namespace detent::tool {

// A search through a store that proceeds in steps. It looks for the timer with exactly that key, for keys that begin
// with the text, and for handlers with that name, among living and dead timers.
class timer_search {
 public:
  explicit timer_search(const std::string& typed);

  // Continues until that time at the latest. Throws input_error if the store fails; it may be called again.
  void go_on(durable::store& in, std::chrono::steady_clock::time_point until);
  const console_search& result() const { return result_; }

 private:
  void look_for_the_key(durable::store& in);
  bool next_walk(durable::store& in);
  void take(durable::listed_record&& its);

  console_search result_;
  std::string wanted_;  // as bytes
  std::vector<durable::list_request> kinds_;
  std::size_t kind_ = 0;
  bool has_looked_for_the_key_ = false;
  std::set<std::string> names_;
};

}  // namespace detent::tool
