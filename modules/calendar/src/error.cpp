// SPDX-License-Identifier: MIT
#include <detent/calendar_error.hpp>

#include <string>
#include <utility>

namespace detent {
namespace {

class category final : public std::error_category {
 public:
  const char* name() const noexcept override { return "detent.calendar"; }
  std::string message(int code) const override {
    switch (static_cast<calendar_errc>(code)) {
      case calendar_errc::invalid_schedule: return "invalid schedule";
      case calendar_errc::unknown_zone: return "unknown time zone";
      case calendar_errc::invalid_days: return "invalid list of days";
      case calendar_errc::days_exhausted: return "no day is known beyond that";
    }
    return "unknown error " + std::to_string(code);
  }
};

}  // namespace

const std::error_category& calendar_category() noexcept {
  static const category instance;
  return instance;
}

std::error_code make_error_code(calendar_errc code) noexcept { return {static_cast<int>(code), calendar_category()}; }

schedule_error::schedule_error(place where, const std::string& what, bool is_never_due)
    : error(calendar_errc::invalid_schedule, what), where_(std::move(where)), never_due_(is_never_due) {}

}  // namespace detent
