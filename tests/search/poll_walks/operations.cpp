// SPDX-License-Identifier: MIT
// The operations that a generator draws, one by one and in sequences.
#include "search/poll_walks/generator.hpp"

#include <algorithm>

namespace detent::poll_walks {

void generator::draw_options(operation& into, unsigned depth) {
  spec::plan& asked = into.asked;
  if (random_.below(4) < plain_) {
    into.plain = random_.one_in(2);
  } else {
    if (lanes_ && random_.one_in(2)) asked.lane = static_cast<std::uint8_t>(random_.below(lane_count));
    if (slack_ && random_.one_in(2)) asked.slack = random_.one_in(8) ? random_.magnitude(62) : draw_length();
    if (stale_ && random_.one_in(2)) {
      asked.max_lateness = draw_length() - (random_.one_in(10) ? 5 : 0);
      asked.stale = random_.one_in(2) ? stale_policy::drop : stale_policy::run;
    }
    if (groups_ && random_.one_in(2)) asked.group = 1 + static_cast<spec::group_id>(random_.below(3));
    if (labels_ && random_.one_in(2)) asked.label = 1 + static_cast<std::uint32_t>(random_.below(2));
    if (random_.one_in(5)) asked.tag = random_.below(100);
    if (random_.one_in(2)) asked.executor = static_cast<unsigned>(random_.below(3));
  }
  if (depth >= 2 || random_.below(4) >= acts_) return;
  for (std::uint64_t i = random_.below(3); i-- > 0;) {
    if (random_.one_in(4)) {
      into.inside.push_back({.what = action::rearm, .when = draw_moment(), .after = random_.one_in(4)});
    } else if (random_.one_in(20)) {
      into.inside.push_back({.what = action::raise});
    } else {
      into.inside.push_back(draw(depth + 1));
    }
  }
}

operation generator::schedule(std::uint32_t count, unsigned depth) {
  operation made{.what = action::schedule, .name = take_names(count), .count = count, .when = draw_moment()};
  draw_options(made, depth);
  return made;
}

operation generator::periodic(unsigned depth) {
  operation made{
      .what = random_.one_in(2) ? action::rate : action::delay, .name = take_names(1), .when = draw_moment()};
  draw_options(made, depth);
  made.asked.repeats = made.what == action::rate ? spec::repetition::fixed_rate : spec::repetition::fixed_delay;
  made.asked.max_lateness = spec::end_of_time;
  made.asked.stale = stale_policy::drop;
  made.asked.period = random_.one_in(12) ? spec::end_of_time : 1 + draw_length();
  made.asked.missed = static_cast<missed_ticks>(random_.below(3));
  if (random_.one_in(2)) made.asked.runs = 1 + random_.below(5);
  return made;
}

operation generator::bulk(unsigned depth) {
  operation made = schedule(1 + static_cast<std::uint32_t>(random_.below(30)), depth);
  made.what = action::bulk;
  made.asked.group = spec::no_group;
  made.asked.max_lateness = spec::end_of_time;
  made.asked.stale = stale_policy::drop;
  made.plain = false;
  if (random_.one_in(2)) made.step = draw_length() / nanoseconds_t(made.count) - (random_.one_in(3) ? 3 : 0);
  return made;
}

operation generator::clump(unsigned depth) {
  const std::uint64_t most = depth != 0 ? 6 : random_.one_in(12) ? 300 : random_.one_in(3) ? 80 : 24;
  operation made = schedule(3 + static_cast<std::uint32_t>(random_.below(most)), depth);
  clump_ = made.name;
  clump_size_ = made.count;
  if (random_.one_in(4)) made.step = 1;
  return made;
}

operation generator::keep_alive() {
  if (clump_size_ == 0) return clump(1);
  const auto skipped = static_cast<std::uint32_t>(random_.below(std::min<std::uint32_t>(clump_size_, 3)));
  operation made{
      .what = action::restart, .name = clump_ + skipped, .count = clump_size_ - skipped, .when = draw_moment()};
  if (random_.one_in(3)) made.when = {moment::base::timer, clump_, draw_length()};
  if (random_.one_in(3)) made.count = std::max<std::uint32_t>(made.count / 2, 1);
  if (random_.one_in(5)) made.what = random_.one_in(2) ? action::cancel : action::cancel_bulk;
  return made;
}

operation generator::restart() {
  operation made{.what = action::restart, .name = draw_name(), .when = draw_moment()};
  if (random_.one_in(5)) made.when = {moment::base::timer, made.name, 0};  // to where it is
  return made;
}

void generator::churn(std::vector<operation>& into) {
  operation stays = schedule(1, 2), some = schedule(20 + static_cast<std::uint32_t>(random_.below(60)), 2);
  stays.when = {moment::base::zero, 0, horizon_};
  some.when = {moment::base::zero, 0, spec::plus(horizon_, draw_length())};
  some.step = nanoseconds_t(random_.below(3));
  into.push_back(stays);
  into.push_back(some);
  into.push_back({.what = action::poll, .number = 0});
  into.push_back(
      {.what = action::cancel, .name = some.name, .count = some.count - static_cast<std::uint32_t>(random_.below(2))});
  operation equal = schedule(2 + static_cast<std::uint32_t>(random_.below(20)), 2);
  equal.when = {moment::base::zero, 0, spec::plus(horizon_, draw_length())};
  into.push_back(equal);
  into.push_back({.what = action::poll, .number = 0});
  into.push_back({.what = action::reach, .when = {moment::base::zero, 0, spec::plus(horizon_, -draw_length())}});
  if (random_.one_in(2)) horizon_ = spec::plus(horizon_, draw_length());
}

void generator::leave_over(std::vector<operation>& into) {
  const auto group = 1 + static_cast<spec::group_id>(random_.below(3));
  const auto look = [&] {
    if (random_.one_in(3)) into.push_back({.what = action::next});
    if (random_.one_in(2)) into.push_back({.what = action::poll, .number = nanoseconds_t(random_.below(2))});
  };
  for (std::uint64_t i = 2 + random_.below(5); i-- > 0;) {
    operation made = schedule(1, 2);
    made.when = {moment::base::now, 0, draw_length()};
    made.asked.group = groups_ && random_.one_in(2) ? group : spec::no_group;
    if (made.asked.group != spec::no_group) made.plain = false;
    into.push_back(made);
  }
  into.push_back({.what = action::advance, .number = span_});
  into.push_back({.what = action::poll, .number = nanoseconds_t(1 + random_.below(2))});
  const bool stops = groups_ && !random_.one_in(4);
  if (stops) into.push_back({.what = action::pause, .name = group});
  for (std::uint64_t i = 1 + random_.below(3); i-- > 0;)
    into.push_back({.what = action::restart, .name = draw_name(), .when = {moment::base::now, 0, -draw_length()}});
  look();
  if (stops) into.push_back({.what = action::resume, .name = group});
  look();
  into.push_back({.what = action::poll, .number = spec::end_of_time});
}

void generator::crowd(std::vector<operation>& into) {
  operation made = clump(2);
  made.step = nanoseconds_t(random_.below(3));
  into.push_back(made);
  if (random_.one_in(2)) into.push_back(schedule(1 + static_cast<std::uint32_t>(random_.below(10)), 2));
  if (random_.one_in(2)) into.push_back({.what = action::poll, .number = 0});
  if (random_.one_in(2)) into.push_back(keep_alive());
  into.push_back({.what = action::next});
  into.push_back(advance());
  into.push_back({.what = action::poll, .number = spec::end_of_time});
}

void generator::meet(std::vector<operation>& into) {
  const nanoseconds_t soon = draw_length(), later = spec::plus(soon, draw_length());
  operation some = schedule(1 + static_cast<std::uint32_t>(random_.below(8)), 1), others = clump(1);
  some.when = {moment::base::now, 0, soon};
  others.when = {moment::base::now, 0, later};
  into.push_back(some);
  if (random_.one_in(2)) into.push_back({.what = action::poll, .number = 0});
  const auto stay = static_cast<std::uint32_t>(random_.below(some.count));
  into.push_back({.what = action::restart, .name = some.name + stay, .count = some.count - stay, .when = others.when});
  into.push_back(others);
  const bool looks = !random_.one_in(3);
  if (looks) {
    into.push_back({.what = action::advance, .number = soon});
    into.push_back(poll());
  }
  into.push_back({.what = action::advance, .number = looks ? later - soon : later});
  into.push_back({.what = action::poll, .number = spec::end_of_time});
}

operation generator::cancel() {
  operation made{.what = action::cancel, .name = draw_name()};
  if (random_.one_in(4)) {
    made.what = action::cancel_bulk;
    made.count = 1 + static_cast<std::uint32_t>(random_.below(20));
  }
  return made;
}

operation generator::on_group() {
  constexpr std::array<action, 6> all{action::pause,  action::pause,      action::resume,
                                      action::resume, action::cancel_all, action::end};
  return {.what = random_.pick(all), .name = 1 + static_cast<std::uint32_t>(random_.below(3))};
}

operation generator::poll() {
  const bool all = !random_.one_in(3);
  return {.what = action::poll, .number = all ? spec::end_of_time : nanoseconds_t(random_.below(5))};
}

// Mostly to where something is due, and sometimes to the end of time.
operation generator::run(unsigned depth) {
  operation made{.what = action::run, .when = {moment::base::now, 0, draw_length()}};
  if (random_.one_in(4)) made.when = draw_moment();
  // Inside a callback it is refused, or nested in what an executor runs.
  if (depth != 0 && made.when.by > horizon_) made.when = {moment::base::now, 0, draw_length()};
  if (several_ && random_.one_in(3)) made.among = 1 + static_cast<unsigned>(random_.below(made_with_.engines));
  return made;
}

operation generator::sleep(unsigned depth) {
  if (random_.one_in(6)) return {.what = action::destroy, .name = draw_name()};
  if (random_.one_in(6)) return {.what = action::ask_to_stop, .name = 1 + static_cast<std::uint32_t>(random_.below(2))};
  operation made = random_.one_in(4) ? periodic(depth) : schedule(1, depth);
  made.what = made.asked.repeats == spec::repetition::once ? action::sleep : action::ticks;
  made.asked.repeats = spec::repetition::once;
  made.plain = false;
  // As for threads: which of the sleeps that a token stops comes first is open.
  const bool in_order = made_with_.executors != 0 && made_with_.refusal != refusal_policy::drop;
  if (!in_order && random_.one_in(2)) made.token = 1 + static_cast<unsigned>(random_.below(2));
  if (made.token != 0) made.asked.max_lateness = spec::end_of_time;
  if (made.token != 0) made.asked.stale = stale_policy::drop;
  return made;
}

operation generator::end() {
  switch (random_.below(4)) {
    case 0: return {.what = action::close};
    case 1: return {.what = action::stop};
    default: return {.what = action::drain};
  }
}

operation generator::executor() {
  switch (random_.below(4)) {
    case 0: return {.what = action::run_held};
    case 1: return {.what = random_.one_in(3) ? action::drop_held : action::run_held};
    default: return {.what = action::executor, .number = nanoseconds_t(random_.below(4))};
  }
}

}  // namespace detent::poll_walks
