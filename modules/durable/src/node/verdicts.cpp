// SPDX-License-Identifier: MIT
#include "verdicts.hpp"

#include "../stores/attempts.hpp"

#include <detent/calendar_error.hpp>

#include <algorithm>
#include <random>

namespace detent::durable::detail {
namespace {

constexpr std::size_t longest_reason = 256;
constexpr duration longest_delay = std::chrono::hours(24) * 365 * 100;  // so that no sum with it overflows

}  // namespace

stored_time verdicts::after(duration delay) const {
  return stored(clock_.wall_now() + std::clamp(delay, duration(0), longest_delay));
}

end_request verdicts::on(const record& ran, const term_ref& under, const handler_options& by,
                         const outcome& how) const {
  end_request end{.term = under, .key = ran.key, .id = ran.id, .ran = ran.due};
  if (how.kind_ == outcome::kind::retry || how.kind_ == outcome::kind::dead) {
    fail(ran, by, how, end);
  } else {
    if (!ran.schedule.empty()) repeat(ran, end);
    if (how.kind_ == outcome::kind::again) come_again(how, end);
  }
  return end;
}

end_request verdicts::unless_ended(const record& ran, const term_ref& under, const handler_options& by,
                                   const outcome& how) const {
  const bool has_failed = how.kind_ == outcome::kind::retry || how.kind_ == outcome::kind::dead;
  return on(ran, under, by, has_failed ? how : outcome::retry("no transaction has ended it"));
}

std::optional<stored_time> verdicts::next_of(const record& ran) const {
  if (ran.schedule.empty()) return {};
  const auto when = known_.find_schedule(ran.schedule);  // never null, because the timer has run
  const auto next = when->next(std::max(ran.due, clock_.wall_now()));
  return next ? std::optional(stored(*next)) : std::nullopt;
}

void verdicts::repeat(const record& ran, end_request& end) const {
  try {
    const auto next = next_of(ran);
    if (!next) return;  // the schedule is over, and so is the timer
    end.how = end_kind::move;
    end.due = *next;
    end.by_rule = true;
  } catch (const error& problem) {  // its list of days ends
    end.how = end_kind::kill;
    end.why = std::string(problem.what()).substr(0, longest_reason);
  }
}

// Adds a run that comes before the next one of a schedule.
void verdicts::come_again(const outcome& how, end_request& end) const {
  const stored_time due = how.after_ ? after(*how.after_) : stored(*how.at_);
  if (end.how != end_kind::move || due < end.due) {
    end.due = due;
    end.by_rule = false;
  }
  end.how = end_kind::move;
  end.why.clear();
  end.payload = how.payload_;
}

stored_time verdicts::after_failure(std::uint32_t attempt, const handler_options& by,
                                    const std::optional<duration>& delay) const {
  if (delay) return after(*delay);
  const duration longest = std::min(by.longest_retry, longest_delay);
  duration most = by.first_retry;
  for (std::uint32_t i = 1; i < attempt && most < longest; ++i) most += most;
  most = std::min(most, longest);
  thread_local std::minstd_rand random(std::random_device{}());
  std::uniform_int_distribution<std::int64_t> scattered(most.count() / 2, most.count());
  return after(duration(scattered(random)));
}

void verdicts::fail(const record& ran, const handler_options& by, const outcome& how, end_request& end) const {
  const attempts its = attempts::of(ran.attempt);
  end.why = how.why_.substr(0, longest_reason);
  if (how.kind_ == outcome::kind::dead || its.next() >= by.max_attempts) {
    end.how = end_kind::kill;
    if (end.why.empty()) end.why = "failed " + std::to_string(its.next()) + " times";
    return;
  }
  end.how = end_kind::move;
  end.due = after_failure(its.next(), by, how.after_);
  end.attempt = its.failed().stored();
}

}  // namespace detent::durable::detail
