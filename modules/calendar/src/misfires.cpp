// SPDX-License-Identifier: MIT
#include "misfires.hpp"

#include <algorithm>

namespace detent::detail {
namespace {

constexpr duration instant(1);

// Planned times from `planned` to `last`, both included; most_counted stands for as many or more.
std::uint64_t count(const detent::schedule& of, wall_time planned, wall_time last) {
  std::uint64_t counted = 0;
  for (std::optional<wall_time> at = planned; at && *at <= last && counted < most_counted;
       at = next_due(of, *at).planned) {
    ++counted;
  }
  return counted;
}

// The latest planned time up to `last`, by bisection; `planned` is one. Two are a second apart or more.
wall_time latest(const detent::schedule& of, wall_time planned, wall_time last) {
  wall_time found = planned;
  for (wall_time end = last; end - found >= std::chrono::seconds(1);) {
    const wall_time middle = found + (end - found) / 2;
    const due_time after = next_due(of, middle);
    if (after.planned && *after.planned <= last) {
      found = *after.planned;
    } else {
      end = middle;
    }
  }
  return found;
}

wall_time nth_from(const detent::schedule& of, wall_time planned, std::uint64_t n) {
  for (; n != 0; --n) planned = next_due(of, planned).planned.value_or(planned);
  return planned;
}

}  // namespace

due_time next_due(const detent::schedule& of, wall_time after) {
  try {
    return {of.next(after)};
  } catch (const error& problem) {
    if (problem.code() != calendar_errc::days_exhausted) throw;
    return {std::nullopt, true};
  }
}

misfire_answer answer_misfire(const detent::schedule& of, wall_time planned, wall_time now,
                              const calendar_options& options) {
  switch (options.on_misfire) {
    case misfire::skip: {
      const wall_time last = now - options.misfire_after - instant;
      return {next_due(of, last), count(of, planned, last)};
    }
    case misfire::once: {
      const wall_time stands_for_all = latest(of, planned, now);
      return {{stands_for_all}, count(of, planned, now) - 1, now};
    }
    case misfire::all: break;
  }
  const std::uint64_t due = count(of, planned, now);
  const std::uint64_t most = options.most;
  if (due <= most) return {{planned}, 0, now};
  if (due < most_counted) return {{nth_from(of, planned, due - most)}, due - most, now};
  // Too many to go through. Two planned times are a second apart or more, so no more than `most` are left.
  const auto seconds = std::chrono::seconds(std::min<std::uint64_t>(most, most_counted));
  const wall_time from = std::max(planned, now - seconds);
  return {{next_due(of, from).planned.value_or(latest(of, planned, now))}, most_counted, now};
}

}  // namespace detent::detail
