// SPDX-License-Identifier: MIT
#pragma once
#include <memory>
#include <string>

#include "page/console_view.hpp"

namespace detent::tool {

// Finds and opens timers of a store for those who look at the page, without holding up that page, the readings, or the
// nodes: by a connection of its own, in steps of about a millisecond with a pause as long after each. What was found is
// kept while it is asked for, and looked up again every few seconds; of eight questions at most.
class store_lookups {
 public:
  // `name` as --store has it. Throws input_error where the store cannot be opened, or this build has none.
  explicit store_lookups(const std::string& name);
  store_lookups(const store_lookups&) = delete;
  store_lookups& operator=(const store_lookups&) = delete;
  ~store_lookups();

  // Returns what is known by now. If that is nothing yet, waits for it, 200 ms at most. Any thread.
  console_search search(const std::string& typed);
  console_opening open(const std::string& key, const std::string& partition);

  // Looks up what is asked for, for about 100 ms at most. One thread calls it, again and again.
  void work();

 private:
  class content;
  std::unique_ptr<content> content_;
};

}  // namespace detent::tool
