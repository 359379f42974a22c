// SPDX-License-Identifier: MIT
#include "search/poll_walks/generator.hpp"

#include <algorithm>

namespace detent::poll_walks {

program generator::make() {
  program made;
  draw_setting(made.made_with);
  draw_habits();
  const std::uint64_t steps = random_.one_in(8) ? 200 : 15 + random_.below(60);
  while (made.steps.size() < steps) {
    // Sequences that need several operations in a row to mean anything.
    switch (random_.below(sequences_)) {
      case 0: churn(made.steps); break;
      case 1: leave_over(made.steps); break;
      case 2: crowd(made.steps); break;
      case 3: meet(made.steps); break;
      default: made.steps.push_back(draw(0));
    }
  }
  return made;
}

void generator::draw_setting(setting& into) {
  constexpr std::array<nanoseconds_t, 6> ticks{1, 1, 1, 3, 7, 1'000};
  constexpr std::array<nanoseconds_t, 6> starts{
      0, 0, 1'000'000'000'000, spec::end_of_time - 5'000'000'000, spec::end_of_time - 700, -3'000};
  into.tick = random_.pick(ticks);
  into.start = random_.pick(starts);
  if (random_.one_in(4)) into.start = draw_edge() * (random_.one_in(2) ? -1 : 1);
  if (without_.end_of_time && into.start > 2'000'000'000'000) into.start = 5;
  if (random_.one_in(3)) {
    into.wheel = wheel_kind::hashed;
    into.slots = std::size_t{1} << random_.below(7);
  }
  if (random_.one_in(4)) into.capacity = 10 + random_.below(40);
  if (random_.one_in(3)) into.reserve = 1'000;
  if (random_.one_in(8)) into.origin = true;
  if (random_.one_in(4)) into.fd = !without_.wake_fd;
  if (!without_.executors && random_.one_in(3)) {
    into.executors = 1 + static_cast<unsigned>(random_.below(2));
    into.own_executor = random_.one_in(2);
    into.keeps_order = random_.one_in(3);
    into.refusal = static_cast<refusal_policy>(random_.below(3));
  }
  if (random_.one_in(2)) into.engines = 2 + static_cast<unsigned>(random_.below(2));
  several_ = into.engines != 1;
  into.set = several_ && !random_.one_in(3);
  made_with_ = into;
  // Near deadlines, some of them equal: multiples of `grain` up to `span`.
  constexpr std::array<nanoseconds_t, 7> spans{20, 100, 700, 5'000, 70'000, 1'000'000, 1'000'000'000'000};
  span_ = random_.pick(spans) * (random_.one_in(2) ? into.tick : 1);
  grain_ = random_.one_in(2) ? 1 : std::max<nanoseconds_t>(span_ / nanoseconds_t(2 + random_.below(30)), 1);
  lanes_ = random_.one_in(2);
  slack_ = random_.one_in(3);
  stale_ = random_.one_in(4);
  groups_ = random_.one_in(2);
  labels_ = random_.one_in(4);
  sequences_ = random_.one_in(3) ? 10 : 80;
  into.labels = labels_ ? 2 : 0;
  // A timer that waits behind a refused one is not seen until it is offered: equal deadlines of two threads may stand
  // there in either order, in one pass or in several.
  threads_ = random_.one_in(4) && (into.executors == 0 || into.refusal == refusal_policy::drop);
  horizon_ = spec::plus(into.start, span_ * nanoseconds_t(1 + random_.below(40)));
  plain_ = random_.below(4);
  acts_ = random_.below(4);
}

void generator::draw_habits() {
  constexpr std::array<std::uint64_t, 8> weights{0, 1, 1, 2, 2, 4, 8, 25};
  for (auto& each : habits_) each = random_.pick(weights);
  habits_[std::size_t(habit::schedule)] += 2;
  habits_[std::size_t(habit::poll)] += 1;
  habits_[std::size_t(habit::advance)] += 1;
  if (!groups_) habits_[std::size_t(habit::group)] = 0;
  if (made_with_.executors == 0) habits_[std::size_t(habit::executor)] = 0;
  habits_[std::size_t(habit::end)] = random_.one_in(8) ? 1 : 0;
  if (random_.one_in(2)) habits_[std::size_t(habit::sleep)] = 0;
  if (!several_ && random_.one_in(2)) habits_[std::size_t(habit::run)] = 0;
  if (random_.one_in(3)) habits_[std::size_t(habit::bulk)] = 0;
  if (random_.one_in(2)) habits_[std::size_t(habit::clump)] = habits_[std::size_t(habit::keep_alive)] = 0;
}

generator::habit generator::draw_habit(bool inside) {
  for (;;) {
    std::uint64_t sum = 0;
    for (const std::uint64_t each : habits_) sum += each;
    std::uint64_t at = random_.below(sum);
    std::size_t found = 0;
    while (at >= habits_[found]) at -= habits_[found++];
    const auto drawn = static_cast<habit>(found);
    if (inside && (drawn == habit::poll || drawn == habit::next || drawn == habit::run) && !random_.one_in(20))
      continue;
    return drawn;
  }
}

nanoseconds_t generator::draw_edge() {
  const auto beside = nanoseconds_t(random_.below(3)) - 1;
  return (nanoseconds_t{1} << random_.below(without_.end_of_time ? 40 : 62)) + beside;
}

nanoseconds_t generator::draw_length() {
  if (random_.one_in(40)) return random_.magnitude(without_.end_of_time ? 40 : 62);
  if (random_.one_in(40)) return draw_edge();
  return nanoseconds_t(random_.below(static_cast<std::uint64_t>(span_ / grain_) + 1)) * grain_;
}

moment generator::draw_moment() {
  switch (random_.below(24)) {
    case 0: return {moment::base::zero, 0, spec::beginning_of_time};
    case 1:
      return {moment::base::zero, 0, spec::end_of_time - (random_.one_in(2) ? 0 : nanoseconds_t(random_.below(5)))};
    case 2: return {moment::base::now, 0, 0};
    case 3: return {moment::base::now, 0, -draw_length()};
    case 4:
    case 5:
    case 6:
      return {moment::base::timer, draw_name(), random_.one_in(2) ? 0 : draw_length() * (random_.one_in(3) ? -1 : 1)};
    case 7:
    case 8:
    case 9:
      if (horizon_ != 0) return {moment::base::zero, 0, spec::plus(horizon_, draw_length())};
      [[fallthrough]];
    default: return {moment::base::now, 0, draw_length()};
  }
}

std::uint32_t generator::draw_name() {
  if (names_ == 0) return 1;
  const std::uint64_t window = random_.one_in(4) ? names_ : std::min<std::uint64_t>(names_, 12);
  return static_cast<std::uint32_t>(names_ - random_.below(window));
}

std::uint32_t generator::take_names(std::uint32_t count) {
  const std::uint32_t first = names_ + 1;
  names_ += count;
  return first;
}

operation generator::draw(unsigned depth) {
  operation drawn = draw_one(depth);
  if (threads_ && random_.one_in(3)) drawn.thread = static_cast<unsigned>(random_.below(3));
  if (several_) drawn.on = static_cast<unsigned>(random_.below(made_with_.engines));
  if (several_ && random_.one_in(made_with_.set ? 2 : 3)) drawn.all = true;
  if (random_.one_in(8)) drawn.after = drawn.wait = true;
  return drawn;
}

operation generator::draw_one(unsigned depth) {
  switch (draw_habit(depth != 0)) {
    case habit::schedule: return schedule(1, depth);
    case habit::periodic: return periodic(depth);
    case habit::bulk: return bulk(depth);
    case habit::clump: return clump(depth);
    case habit::keep_alive: return keep_alive();
    case habit::cancel: return cancel();
    case habit::restart: return restart();
    case habit::ask: return {.what = action::ask, .name = draw_name()};
    case habit::group: return on_group();
    case habit::advance: return advance();
    case habit::poll: return poll();
    case habit::next: return {.what = action::next};
    case habit::look: return {.what = random_.pick(std::array{action::list, action::metrics, action::move})};
    case habit::executor: return executor();
    case habit::end: return end();
    case habit::run: return run(depth);
    case habit::sleep: return sleep(depth);
  }
  return {};
}

program generate(std::uint64_t seed, const avoided& without) { return generator(seed, without).make(); }

}  // namespace detent::poll_walks
