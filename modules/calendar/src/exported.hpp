// SPDX-License-Identifier: MIT
// The library hides everything but what the public headers declare. Included first in each of its sources, by an option
// of the compiler.
#pragma once

// Public headers name these classes, but do not declare their contents.
namespace detent::detail {
class [[gnu::visibility("hidden")]] calendar_core;
class [[gnu::visibility("hidden")]] calendar_entry;
struct [[gnu::visibility("hidden")]] day_bits;
struct [[gnu::visibility("hidden")]] schedule_plan;
struct [[gnu::visibility("hidden")]] zone_rules;
}  // namespace detent::detail

#pragma GCC visibility push(default)
#include <detent/calendar.hpp>
#pragma GCC visibility pop
