// SPDX-License-Identifier: MIT
// The library hides everything but what the public headers declare. Included first in each of its sources, by an option
// of the compiler.
#pragma once

#pragma GCC visibility push(default)
#include <detent/base/compiler.hpp>
#pragma GCC visibility pop

// Public headers name these classes but do not define them.
namespace detent::detail {
class DETENT_HIDDEN calendar_core;
class DETENT_HIDDEN calendar_entry;
struct DETENT_HIDDEN day_bits;
struct DETENT_HIDDEN schedule_plan;
struct DETENT_HIDDEN zone_rules;
}  // namespace detent::detail

#pragma GCC visibility push(default)
#include <detent/calendar.hpp>
#pragma GCC visibility pop
