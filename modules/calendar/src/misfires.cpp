// SPDX-License-Identifier: MIT
#include "misfires.hpp"

#include <algorithm>

namespace detent::detail {
namespace {

constexpr duration instant(1);

// Counts the planned times from `planned` to `last`, including both. `limit` stands for that many or more.
std::uint64_t count(const detent::schedule& of, wall_time planned, wall_time last, std::uint64_t limit = most_counted) {
  std::uint64_t counted = 0;
  for (std::optional<wall_time> at = planned; at && *at <= last && counted < limit; at = next_due(of, *at).planned) {
    ++counted;
  }
  return counted;
}

// Finds by bisection the first of the latest `n` planned times up to `last`. There are at least `n` from `planned` on,
// which is itself one. Two of them are at least a second apart.
wall_time latest(const detent::schedule& of, wall_time planned, wall_time last, std::uint64_t n = 1) {
  wall_time found = planned;
  for (wall_time end = last; end - found >= std::chrono::seconds(1);) {
    const wall_time middle = found + (end - found) / 2;
    const due_time after = next_due(of, middle);
    if (after.planned && count(of, *after.planned, last, n) == n) {
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

// A schedule by elapsed time continues at once. But its last run does not come again, because otherwise each small step
// back just after a run would repeat it.
wall_time set_back_to(const detent::schedule& of, wall_time now, wall_time ran) {
  if (ran < now) return now;
  return of.fixed() || next_due(of, now).planned == ran ? ran : now;
}

misfire_answer answer_misfire(const detent::schedule& of, wall_time planned, wall_time now,
                              const calendar_options& options) {
  switch (options.on_misfire) {
    case misfire::skip: {
      const wall_time last = now - options.misfire_after - instant;
      const due_time next = next_due(of, last);
      return {next, count(of, planned, last), {}, next.planned ? planned : latest(of, planned, last)};
    }
    case misfire::once: {
      const wall_time stands_for_all = latest(of, planned, now);
      return {{stands_for_all}, count(of, planned, now) - 1, now};
    }
    case misfire::all: break;
  }
  const std::uint64_t most = options.most;
  const std::uint64_t due = count(of, planned, now, most_counted + 1);
  if (due <= most) return {{planned}, 0, now};
  if (due <= most_counted) return {{nth_from(of, planned, due - most)}, due - most, now};
  return {{latest(of, planned, now, most)}, most_counted, now};  // too many to count one by one
}

}  // namespace detent::detail
