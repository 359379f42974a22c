// SPDX-License-Identifier: MIT
// Decides when the worker looks for memory that the kernel may have back.
#pragma once

#include <detent/time.hpp>

#include <cstdint>

namespace detent::detail {

// At most one look in each `every`, and none while nothing has changed since a look that left nothing for the next. So
// an idle engine looks twice, and then sleeps. Used by the worker alone.
class memory_look {
 public:
  // 0: never.
  explicit memory_look(nanoseconds_t every) noexcept : every_(every) {}

  bool is_wanted() const noexcept { return every_ != 0; }
  // `surplus`: how many free nodes are in no thread's cache.
  nanoseconds_t due(std::uint32_t surplus) const noexcept { return more_ || surplus != surplus_ ? next_ : forever; }
  void looked(nanoseconds_t now, std::uint32_t surplus, bool more) noexcept {
    next_ = add_saturated(now, every_);
    surplus_ = surplus;
    more_ = more;
  }

 private:
  const nanoseconds_t every_;
  nanoseconds_t next_ = INT64_MIN;
  std::uint32_t surplus_ = 0;
  bool more_ = false;
};

}  // namespace detent::detail
