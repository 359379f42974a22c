// SPDX-License-Identifier: MIT
#pragma once

#include "calendar_entry.hpp"

#include <detent/base/atomic.hpp>

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>

namespace detent::detail {

// The entries of a calendar. They lie in chunks, each twice as large as the one before, which stay until the calendar's
// end. Returning an entry is lock-free, because the driver does it. Taking one needs a lock.
class entry_pool {
 public:
  entry_pool() = default;
  entry_pool(const entry_pool&) = delete;
  entry_pool& operator=(const entry_pool&) = delete;
  ~entry_pool();

  calendar_entry& take();  // throws bad_alloc
  void give_back(calendar_entry& entry) noexcept;

  // Visits each entry that existed when the call began, in use or not.
  template <class Visit>
  void for_each(Visit&& visit) {
    for (std::size_t place = 0; place < chunks_.size(); ++place) {
      calendar_entry* const chunk = chunks_[place].load(base::acquire);  // (1) acquire: pairs with (2)
      if (chunk == nullptr) return;
      for (std::size_t at = 0; at < size_of(place); ++at) visit(chunk[at]);
    }
  }

 private:
  static constexpr std::size_t size_of(std::size_t place) noexcept { return std::size_t{64} << place; }
  void grow();

  std::mutex taking_;
  // A stack from which only one thread at a time takes, under the lock. So an entry that it sees on top stays there.
  base::atomic<calendar_entry*> free_{nullptr};
  std::array<base::atomic<calendar_entry*>, 40> chunks_{};
};

}  // namespace detent::detail
