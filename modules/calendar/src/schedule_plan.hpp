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
  std::optional<day_set> only;  // empty for every day
  duration shift{};

  // Returns the first due instant from `from` on, before it is shifted. Both are seconds since 1970, UTC. Throws what
  // day_set::contains() throws.
  std::optional<std::int64_t> due_at_or_after(std::int64_t from) const;

 private:
  // Returns the first local time from `from` on that satisfies the fields, even if the clock does not show it. Looks at
  // no day from `before` on.
  std::optional<civil_second> civil_at_or_after(civil_second from, day_number before) const;
};

}  // namespace detent::detail
