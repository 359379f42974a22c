// SPDX-License-Identifier: MIT
#include "inbox.hpp"

#include <algorithm>
#include <utility>

namespace detent::durable::detail {

inbox::room inbox::admit(pending_change& what) {
  const std::size_t bytes = sizeof what + key_in(what.what).size() + bytes_in(what.what);
  const std::lock_guard locked(lock_);
  if (has_.operations >= most_) return room::too_many;
  if (has_.operations != 0 && has_.bytes + bytes > most_bytes_) return room::too_many_bytes;  // one always fits
  ++has_.operations;
  has_.bytes += bytes;
  what.its_place.bytes = bytes;
  return room::enough;
}

void inbox::number(pending_change& its) {
  its.its_place.number = ++numbered_;
  is_over_.push_back(false);
}

void inbox::add(arrival&& what) {
  bool first = false;
  {
    const std::lock_guard locked(lock_);
    first = waiting_.empty();
    if (auto* its = std::get_if<pending_change>(&what))
      number(*its);
    else
      std::ranges::for_each(std::get<finished>(what).asked, [this](pending_change& one) { number(one); });
    waiting_.push_back(std::move(what));
  }
  if (first) bell_->ring();  // the first one has rung for the rest
}

std::vector<arrival> inbox::take_all() {
  const std::lock_guard locked(lock_);
  return std::exchange(waiting_, {});
}

void inbox::over(std::span<const place> which) {
  if (which.empty()) return;
  {
    const std::lock_guard locked(lock_);
    for (const place& its : which) {
      --has_.operations;
      has_.bytes -= its.bytes;
      is_over_[its.number - first_] = true;
    }
    while (!is_over_.empty() && is_over_.front()) {
      is_over_.pop_front();
      ++first_;
    }
  }
  less_.notify_all();
}

bool inbox::wait_for_earlier(std::chrono::nanoseconds patience) {
  constexpr std::chrono::nanoseconds longest = std::chrono::hours(24) * 365;  // so that no sum with a clock overflows
  std::unique_lock locked(lock_);
  const std::uint64_t last = numbered_;
  return less_.wait_for(locked, std::min(patience, longest), [&] { return first_ > last; });
}

bool inbox::is_empty() const {
  const std::lock_guard locked(lock_);
  return waiting_.empty();
}

inbox::load inbox::size() const {
  const std::lock_guard locked(lock_);
  return has_;
}

}  // namespace detent::durable::detail
