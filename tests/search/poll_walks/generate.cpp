// SPDX-License-Identifier: MIT
#include "search/poll_walks/generate.hpp"

#include "search/poll_walks/random.hpp"

#include <algorithm>
#include <array>

namespace detent::poll_walks {
namespace {

// What a seed likes to do.
enum class habit : std::uint8_t {
  schedule,
  periodic,
  bulk,
  clump,
  keep_alive,
  cancel,
  restart,
  ask,
  group,
  advance,
  poll,
  next,
  look,
  executor,
  close
};
constexpr std::size_t habits = 15;

class generator {
 public:
  generator(std::uint64_t seed, const avoided& without) : random_(seed), without_(without) {}

  program make() {
    program made;
    draw_setting(made.made_with);
    draw_habits();
    const std::uint64_t steps = random_.one_in(8) ? 200 : 15 + random_.below(60);
    for (std::uint64_t i = 0; i < steps; ++i) made.steps.push_back(draw(0));
    return made;
  }

 private:
  void draw_setting(setting& into) {
    constexpr std::array<nanoseconds_t, 6> ticks{1, 1, 1, 3, 7, 1'000};
    constexpr std::array<nanoseconds_t, 6> starts{
        0, 0, 1'000'000'000'000, spec::end_of_time - 5'000'000'000, spec::end_of_time - 700, -3'000};
    into.tick = random_.pick(ticks);
    into.start = random_.pick(starts);
    if (without_.end_of_time && into.start > 2'000'000'000'000) into.start = 5;
    if (random_.one_in(3)) {
      into.wheel = wheel_kind::hashed;
      into.slots = std::size_t{1} << random_.below(7);
    }
    if (random_.one_in(4)) into.capacity = 10 + random_.below(40);
    if (random_.one_in(3)) into.reserve = 1'000;
    if (random_.one_in(8)) into.origin = true;
    if (!without_.executors && random_.one_in(3)) {
      into.executors = 1 + static_cast<unsigned>(random_.below(2));
      into.own_executor = random_.one_in(2);
      into.keeps_order = random_.one_in(3);
      into.refusal = static_cast<refusal_policy>(random_.below(3));
    }
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
    plain_ = random_.below(4);
    acts_ = random_.below(4);
  }

  void draw_habits() {
    constexpr std::array<std::uint64_t, 8> weights{0, 1, 1, 2, 2, 4, 8, 25};
    for (auto& each : habits_) each = random_.pick(weights);
    habits_[std::size_t(habit::schedule)] += 2;
    habits_[std::size_t(habit::poll)] += 1;
    habits_[std::size_t(habit::advance)] += 1;
    if (!groups_) habits_[std::size_t(habit::group)] = 0;
    if (made_with_.executors == 0) habits_[std::size_t(habit::executor)] = 0;
    habits_[std::size_t(habit::close)] = random_.one_in(40) ? 1 : 0;
    if (random_.one_in(3)) habits_[std::size_t(habit::bulk)] = 0;
    if (random_.one_in(2)) habits_[std::size_t(habit::clump)] = habits_[std::size_t(habit::keep_alive)] = 0;
  }

  habit draw_habit(bool inside) {
    for (;;) {
      std::uint64_t sum = 0;
      for (const std::uint64_t each : habits_) sum += each;
      std::uint64_t at = random_.below(sum);
      std::size_t found = 0;
      while (at >= habits_[found]) at -= habits_[found++];
      const auto drawn = static_cast<habit>(found);
      if (inside && (drawn == habit::poll || drawn == habit::next) && !random_.one_in(20)) continue;
      return drawn;
    }
  }

  // --- Times and names

  nanoseconds_t draw_length() {
    if (random_.one_in(30)) return random_.magnitude(without_.end_of_time ? 40 : 62);
    return nanoseconds_t(random_.below(static_cast<std::uint64_t>(span_ / grain_) + 1)) * grain_;
  }
  moment draw_moment() {
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
      default: return {moment::base::now, 0, draw_length()};
    }
  }
  // Of the later ones, mostly.
  std::uint32_t draw_name() {
    if (names_ == 0) return 1;
    const std::uint64_t window = random_.one_in(4) ? names_ : std::min<std::uint64_t>(names_, 12);
    return static_cast<std::uint32_t>(names_ - random_.below(window));
  }
  std::uint32_t take_names(std::uint32_t count) {
    const std::uint32_t first = names_ + 1;
    names_ += count;
    return first;
  }

  // --- Operations

  operation draw(unsigned depth) {
    switch (draw_habit(depth != 0)) {
      case habit::schedule: return schedule(1, depth);
      case habit::periodic: return periodic(depth);
      case habit::bulk: return bulk(depth);
      case habit::clump: return clump(depth);
      case habit::keep_alive: return keep_alive();
      case habit::cancel: return cancel();
      case habit::restart: return {.what = action::restart, .name = draw_name(), .when = draw_moment()};
      case habit::ask: return {.what = action::ask, .name = draw_name()};
      case habit::group: return on_group();
      case habit::advance: return advance();
      case habit::poll: return poll();
      case habit::next: return {.what = action::next};
      case habit::look: return {.what = random_.one_in(2) ? action::list : action::metrics};
      case habit::executor: return executor();
      case habit::close: return {.what = action::close};
    }
    return {};
  }

  void draw_options(operation& into, unsigned depth) {
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
        into.inside.push_back({.what = action::rearm, .when = draw_moment()});
      } else if (random_.one_in(20)) {
        into.inside.push_back({.what = action::raise});
      } else {
        into.inside.push_back(draw(depth + 1));
      }
    }
  }
  operation schedule(std::uint32_t count, unsigned depth) {
    operation made{.what = action::schedule, .name = take_names(count), .count = count, .when = draw_moment()};
    draw_options(made, depth);
    return made;
  }
  operation periodic(unsigned depth) {
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
  operation bulk(unsigned depth) {
    operation made = schedule(1 + static_cast<std::uint32_t>(random_.below(30)), depth);
    made.what = action::bulk;
    made.asked.group = spec::no_group;
    made.asked.max_lateness = spec::end_of_time;
    made.asked.stale = stale_policy::drop;
    made.plain = false;
    if (random_.one_in(2)) made.step = draw_length() / nanoseconds_t(made.count) - (random_.one_in(3) ? 3 : 0);
    return made;
  }
  // Many of one deadline, or of a few next to each other.
  operation clump(unsigned depth) {
    const std::uint64_t most = depth != 0 ? 6 : random_.one_in(12) ? 300 : random_.one_in(3) ? 80 : 24;
    operation made = schedule(3 + static_cast<std::uint32_t>(random_.below(most)), depth);
    clump_ = made.name;
    clump_size_ = made.count;
    if (random_.one_in(4)) made.step = 1;
    return made;
  }
  // Most of the last clump is restarted or cancelled, as connections do.
  operation keep_alive() {
    if (clump_size_ == 0) return clump(1);
    const auto skipped = static_cast<std::uint32_t>(random_.below(std::min<std::uint32_t>(clump_size_, 3)));
    operation made{
        .what = action::restart, .name = clump_ + skipped, .count = clump_size_ - skipped, .when = draw_moment()};
    if (random_.one_in(3)) made.when = {moment::base::timer, clump_, draw_length()};
    if (random_.one_in(3)) made.count = std::max<std::uint32_t>(made.count / 2, 1);
    if (random_.one_in(5)) made.what = random_.one_in(2) ? action::cancel : action::cancel_bulk;
    return made;
  }
  operation cancel() {
    operation made{.what = action::cancel, .name = draw_name()};
    if (random_.one_in(4)) {
      made.what = action::cancel_bulk;
      made.count = 1 + static_cast<std::uint32_t>(random_.below(20));
    }
    return made;
  }
  operation on_group() {
    constexpr std::array<action, 6> all{action::pause,  action::pause,      action::resume,
                                        action::resume, action::cancel_all, action::end};
    return {.what = random_.pick(all), .name = 1 + static_cast<std::uint32_t>(random_.below(3))};
  }
  operation advance() { return {.what = action::advance, .number = draw_length()}; }
  operation poll() {
    const bool all = !random_.one_in(3);
    return {.what = action::poll, .number = all ? spec::end_of_time : nanoseconds_t(random_.below(5))};
  }
  operation executor() {
    switch (random_.below(4)) {
      case 0: return {.what = action::run_held};
      case 1: return {.what = random_.one_in(3) ? action::drop_held : action::run_held};
      default: return {.what = action::executor, .number = nanoseconds_t(random_.below(4))};
    }
  }

  random_source random_;
  const avoided without_;
  setting made_with_;
  nanoseconds_t span_ = 100, grain_ = 1;
  bool lanes_ = false, slack_ = false, stale_ = false, groups_ = false, labels_ = false;
  std::uint64_t plain_ = 0, acts_ = 0;
  std::array<std::uint64_t, habits> habits_{};
  std::uint32_t names_ = 0, clump_ = 0, clump_size_ = 0;
};

}  // namespace

program generate(std::uint64_t seed, const avoided& without) { return generator(seed, without).make(); }

}  // namespace detent::poll_walks
