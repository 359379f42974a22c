// SPDX-License-Identifier: MIT
#pragma once

#include <detent/day_set.hpp>
#include <detent/schedule.hpp>
#include <detent/time.hpp>

#include <optional>
#include <string>

#include "date_rules.hpp"
#include "time_rules.hpp"

namespace detent::detail {

// The parts of a schedule.
struct schedule_plan {
  std::string text;
  schedule_options options;
  time_rules times;
  date_rules dates;
  std::optional<day_set> only;  // none: every day
  duration shift{};

  // The first due instant from `from` on, before it is shifted; both in seconds since 1970, UTC. Throws what
  // day_set::contains() does.
  std::optional<std::int64_t> due_at_or_after(std::int64_t from) const;

 private:
  // The first local time from `from` on that the fields mean, whether or not the clock shows it. It looks at no day
  // from `before` on.
  std::optional<civil_second> civil_at_or_after(civil_second from, day_number before) const;
};

}  // namespace detent::detail
