// SPDX-License-Identifier: MIT
#include "schedule_plan.hpp"

#include <algorithm>

#include "zone_rules.hpp"

namespace detent::detail {
namespace {

// A longer gap means that days do not exist, not that hours are skipped. The limit is cron's own.
constexpr std::int64_t longest_gap = 3 * 3600;

constexpr day_number day_number_at(civil_second at) noexcept { return static_cast<day_number>(at / seconds_a_day); }

}  // namespace

std::optional<civil_second> schedule_plan::civil_at_or_after(civil_second from, day_number before) const {
  const day_bits* const bits = only ? &only->bits() : nullptr;
  from = std::max<civil_second>(from, 0);
  if (from >= day_count * seconds_a_day) return std::nullopt;
  day_number today = day_number_at(from);
  const auto in_day = times.at_or_after(static_cast<std::int32_t>(from % seconds_a_day));
  if (!in_day) ++today;
  const auto day = dates.day_at_or_after(today, before, bits);
  if (!day) return std::nullopt;
  return *day * seconds_a_day + (in_day && *day == today ? *in_day : times.first());
}

// Within a segment, local time grows with the instant; between two segments it jumps. So each segment is searched
// separately, and times that the jump skips or repeats are decided there.
std::optional<std::int64_t> schedule_plan::due_at_or_after(std::int64_t from) const {
  const zone_rules& zone = options.zone.rules();
  const bool once = times.fixed && options.overlap == in_overlap::once;
  const bool after_gap = times.fixed && options.gap == in_gap::after;
  // If a gap ends at `from`, the segment before it still decides.
  for (std::size_t index = zone.index_at(from - 1);;) {
    const offset_segment& here = zone.segments[index];
    civil_second earliest = from + here.offset;
    if (once) earliest = std::max(earliest, here.shown);
    const std::int64_t end = zone.end_of(index);
    const std::int64_t then_offset = end == never ? here.offset : zone.segments[index + 1].offset;
    // The next segment shows times before `earliest` again. A later day must wait, and may be unknown.
    const bool again = end != never && end + then_offset < earliest;
    const auto found = civil_at_or_after(earliest, again ? day_number_at(end + here.offset - 1) + 1 : day_count);
    if (found && *found - here.offset < end) return *found - here.offset;
    if (end == never) return std::nullopt;

    const std::int64_t gap = then_offset - here.offset;
    if (found && after_gap && gap < longest_gap && *found < end + then_offset) return end;
    from = end;
    if (!again) {
      if (!found) return std::nullopt;
      // No local clock has a due time before `found`, and none is a day away from UTC.
      from = std::max(from, *found - seconds_a_day);
    }
    index = from == end ? index + 1 : zone.index_at(from);
  }
}

}  // namespace detent::detail
