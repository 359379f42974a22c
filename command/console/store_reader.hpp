// SPDX-License-Identifier: MIT
#pragma once
#include <memory>
#include <string>

#include "page/console_view.hpp"

namespace detent::tool {

// Reads a store of durable timers without a term, a claim or a write. A reading takes counts and one page of 50 timers
// for each shard. It reads the dead timers only when their number has changed.
class store_reader {
 public:
  // `name` is that of --store. Throws input_error if the store cannot be opened or this build has none.
  explicit store_reader(const std::string& name);
  store_reader(const store_reader&) = delete;
  store_reader& operator=(const store_reader&) = delete;
  ~store_reader();

  // If the store cannot be read, `trouble` says why, and everything else is as it was last read. Blocks as long as the
  // store does. Used by one thread at a time.
  const console_store& read();
  // Returns the last result; before the first reading it has only the name. For the same thread.
  const console_store& last() const;

 private:
  class content;
  std::unique_ptr<content> content_;
};

}  // namespace detent::tool
