// SPDX-License-Identifier: MIT
#include "outbox.hpp"

#include <algorithm>
#include <utility>

namespace detent::durable::detail {

bool outbox::push(operation&& what) {
  bool first = false;
  {
    const std::lock_guard locked(lock_);
    if (pushed_ - over_ >= limit_) return false;
    first = waiting_.empty();
    waiting_.push_back(std::move(what));
    ++pushed_;
  }
  if (first) bell_.ring();  // for the others it has rung
  return true;
}

std::vector<operation> outbox::take_all() {
  const std::lock_guard locked(lock_);
  return std::exchange(waiting_, {});
}

void outbox::over(std::size_t count) {
  {
    const std::lock_guard locked(lock_);
    over_ += count;
  }
  less_.notify_all();
}

bool outbox::wait_empty_of_earlier(std::chrono::nanoseconds patience) {
  constexpr std::chrono::nanoseconds longest = std::chrono::hours(24) * 365;  // added to a clock, it must not overflow
  std::unique_lock locked(lock_);
  const std::uint64_t until = pushed_;
  return less_.wait_for(locked, std::min(patience, longest), [&] { return over_ >= until; });
}

std::size_t outbox::size() const {
  const std::lock_guard locked(lock_);
  return pushed_ - over_;
}

}  // namespace detent::durable::detail
