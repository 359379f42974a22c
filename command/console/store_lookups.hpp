// SPDX-License-Identifier: MIT
#pragma once
#include <memory>
#include <string>

#include "page/console_view.hpp"

namespace detent::tool {

// Finds and opens timers of a store for the page's readers without delaying the page, the readings, or the nodes. It
// has its own connection and works in steps of about a millisecond, with an equally long pause after each. Results are
// kept while they are asked for, and are looked up again every few seconds; there are at most eight questions.
class store_lookups {
 public:
  // `name` is that of --store. Throws input_error if the store cannot be opened or this build has none.
  explicit store_lookups(const std::string& name);
  store_lookups(const store_lookups&) = delete;
  store_lookups& operator=(const store_lookups&) = delete;
  ~store_lookups();

  // Returns what is known by now. If nothing is known, it waits for at most 200 ms. Any thread may call it.
  console_search search(const std::string& typed);
  console_opening open(const std::string& key, const std::string& partition);

  // Works on the questions for at most about 100 ms. One thread calls it, again and again.
  void work();

 private:
  class content;
  std::unique_ptr<content> content_;
};

}  // namespace detent::tool
