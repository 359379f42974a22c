// SPDX-License-Identifier: MIT
#include "calendar_core.hpp"
#include "message.hpp"

#include <detent/calendar.hpp>

#include <string>
#include <utility>

namespace detent {

std::string schedule_end::what() const {
  const auto day = std::chrono::floor<std::chrono::days>(last);
  return "schedule " + detail::in_quotes(of.text()) + " has ended after " + detail::day_text(civil_day(day)) +
         (days_exhausted ? ": its list of days ends there; it needs a newer one"
                         : ": it has no due time before the year 2200");
}

calendar::calendar(engine& of, const calendar_set_up& options)
    : core_(std::make_shared<detail::calendar_core>(of, options)) {
  core_->start();
}

calendar::calendar(calendar&& other) noexcept = default;

calendar& calendar::operator=(calendar&& other) noexcept {
  if (this == &other) return *this;
  if (core_) core_->close();
  core_ = std::move(other.core_);
  return *this;
}

calendar::~calendar() {
  if (core_) core_->close();
}

timer calendar::add(wall_time at, const schedule* when, std::unique_ptr<detail::calendar_work> work,
                    const calendar_options& options, const origin& where, const char* call) {
  return core(call).add(at, when, std::move(work), options, where);
}

std::size_t calendar::reload_zones() { return core().reload_zones(); }
std::size_t calendar::set_virtual_clock(wall_time now) { return core().set_virtual_clock(now); }
wall_time calendar::now() const noexcept { return core().clock().now(); }
std::uint64_t calendar::missed() const noexcept { return core().missed(); }

}  // namespace detent
