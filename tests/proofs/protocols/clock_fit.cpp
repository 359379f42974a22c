// SPDX-License-Identifier: MIT
// The clock that is read from the time-stamp counter: a reading while another thread takes an anchor is that of one
// anchor, never of a mixture, and what a delay counts from is never behind steady_clock, which may be slewed. The
// counter and steady_clock are the scenario's.
#include "scenario.hpp"

#include <detent/time.hpp>
#include "platform/time_stamp.hpp"

#include <cstdint>
#include <new>

namespace model {
namespace {

using detent::detail::nanoseconds_t;

// The present time. A schedule's only choice is the order in which threads read it, so it is no source of races.
struct world_time {
  // Between the readings that a sample takes of the counter. None passes before another reading.
  static constexpr std::uint64_t step = 1000;
  static constexpr std::int64_t million = 1'000'000;
  std::uint64_t slowness = 1;  // how many times as long a sample takes
  std::uint64_t ticks = 0;
  std::int64_t millionths = 0;  // of a nanosecond
  std::int64_t rate = million;  // of those in a tick

  void pass(std::uint64_t more) {
    ticks += more;
    millionths += static_cast<std::int64_t>(more) * rate;
  }
  // The time of steady_clock.
  nanoseconds_t ns() const { return millionths / million; }
  void jump(nanoseconds_t by) { millionths += by * million; }
  void slew(int ppm) { rate = million + ppm; }

  int looks = 0;  // at steady_clock
};
world_time& now() {
  static world_time one;
  return one;
}

}  // namespace
}  // namespace model

// Found before the real ones by what tsc_clock.cpp calls.
namespace detent::detail {
namespace base {
using namespace detent::base;
inline std::uint64_t read_time_stamp() noexcept { return model::now().ticks; }
inline std::uint64_t read_time_stamp_in_order() noexcept {
  model::now().pass(model::world_time::step * model::now().slowness);
  return model::now().ticks;
}
}  // namespace base
struct clock {
  // Half way to the sample's next reading of the counter.
  static time_point now() noexcept {
    model::world_time& is = model::now();
    ++is.looks;
    return to_time((is.millionths + static_cast<std::int64_t>(model::world_time::step / 2 * is.slowness) * is.rate) /
                   model::world_time::million);
  }
};
}  // namespace detent::detail

// Compiled against the explorer, and with a mutant's fault in it.
#include "platform/tsc_clock.cpp"

namespace model {
namespace {

using detent::detail::tsc_clock;

// Beyond what an anchor is used for.
constexpr std::uint64_t too_far = 500'000;
// A span, and a little more.
constexpr std::uint64_t a_span = 1'100'000'000;

// Trusted: after the two spans that it begins with.
tsc_clock& make_clock(execution& run) {
  now() = {};
  now().ticks = 10'000'000;  // it has run before
  tsc_clock& made = run.make<tsc_clock>("clock");
  for (int spans = 0; spans != 2; ++spans) {
    now().pass(6'000'000);
    made.now();
  }
  return made;
}

// A mixture of two anchors is off by what lies between them.
nanoseconds_t tolerance() { return 4 * static_cast<nanoseconds_t>(world_time::step * now().slowness); }

void read(tsc_clock& clock) {
  const nanoseconds_t before = now().ns();
  const nanoseconds_t reported = clock.now();
  require(reported >= before - tolerance() && reported <= now().ns() + tolerance(), "the time of no anchor");
}

void begin_delay(tsc_clock& clock) {
  const nanoseconds_t before = now().ns();
  const nanoseconds_t reported = clock.not_before_now();
  require(reported >= before, "a delay would end early");
  require(reported <= now().ns() + tolerance(), "a delay would end late");
}

// For more than an anchor is used.
void read_for_a_while(tsc_clock& clock) {
  for (int i = 0; i != 30; ++i) {
    read(clock);
    begin_delay(clock);
    now().pass(2'000);
  }
}

// `happens`: what makes an anchor that is no longer right.
template <class F>
void read_beside_a_look(execution& run, F happens) {
  tsc_clock& clock = make_clock(run);
  run.thread("looks", [&clock, happens] {
    happens();
    read(clock);
  });
  run.thread("reads", [&clock] { begin_delay(clock); });
  run.join();
}

void read_where_time_passed(execution& run) {
  read_beside_a_look(run, [] { now().pass(too_far); });
}

void read_after_a_suspend(execution& run) {
  read_beside_a_look(run, [] {
    now().jump(10'000'000);
    now().pass(too_far);
  });
}

// The span's beginning is nobody's atomic: only one of them takes its sample up.
void two_look(execution& run) {
  tsc_clock& clock = make_clock(run);
  now().jump(10'000'000);
  now().pass(too_far);
  for (const char* name : {"looks", "looks too"}) run.thread(name, [&clock] { begin_delay(clock); });
  run.join();
}

void measure_spans(tsc_clock& clock, int spans) {
  for (int i = 0; i != spans; ++i) {
    now().pass(a_span);
    read(clock);
  }
}

// Returns whether a reading works without steady_clock.
bool is_trusted(tsc_clock& clock) {
  read(clock);
  const int before = now().looks;
  read(clock);
  return now().looks == before;
}

// From one end of what is allowed for to the other.
void slewed_between_the_extremes(execution& run, int first) {
  tsc_clock& clock = make_clock(run);
  now().slew(first);
  measure_spans(clock, 2);
  now().slew(-first);
  now().pass(too_far);
  run.thread("looks", [&clock] { begin_delay(clock); });
  run.thread("reads", [&clock] { begin_delay(clock); });
  run.join();
  read_for_a_while(clock);
  measure_spans(clock, 1);
  require(is_trusted(clock), "is within what is allowed for");
}
void slewed_faster(execution& run) { slewed_between_the_extremes(run, -500); }
void slewed_slower(execution& run) { slewed_between_the_extremes(run, 500); }

void slewed_to_and_fro(execution& run) {
  tsc_clock& clock = make_clock(run);
  measure_spans(clock, 1);
  for (const int ppm : {-500, 500, -500, 500}) {
    now().slew(ppm);
    read_for_a_while(clock);
  }
  require(is_trusted(clock), "is within what is allowed for");
}

// Twice as fast: found out by the next anchor. Steady_clock is read until two spans have agreed.
void read_where_the_rate_changed(execution& run) {
  tsc_clock& clock = make_clock(run);
  measure_spans(clock, 2);
  now().slew(1'000'000);
  now().pass(too_far);
  run.thread("looks", [&clock] { begin_delay(clock); });
  run.thread("reads", [&clock] { begin_delay(clock); });
  run.join();
  read_for_a_while(clock);
  require(!is_trusted(clock), "the rate is another");
  measure_spans(clock, 1);
  require(!is_trusted(clock), "has been measured once");
  measure_spans(clock, 1);
  require(is_trusted(clock), "has been even");
}

// The time that it lasted counts for no rate: the clock is not trusted for a span, and then at once.
void measure_after_a_suspend(execution& run) {
  tsc_clock& clock = make_clock(run);
  measure_spans(clock, 2);
  now().pass(a_span / 2);
  read(clock);
  now().jump(10'000'000);
  now().pass(too_far);
  read_for_a_while(clock);
  require(!is_trusted(clock), "has jumped");
  measure_spans(clock, 1);
  require(is_trusted(clock), "has been even since");
}

// As after a suspend that it does not outlive, or on another host. What is right is its rate.
void set_back() { now().ticks = 0; }

void read_where_the_counter_was_set_back(execution& run) {
  tsc_clock& clock = make_clock(run);
  measure_spans(clock, 2);
  run.thread("looks", [&clock] {
    set_back();
    read(clock);
  });
  run.thread("reads", [&clock] { begin_delay(clock); });
  run.join();
  read_for_a_while(clock);
  require(!is_trusted(clock), "was set back");
  measure_spans(clock, 1);
  require(is_trusted(clock), "has been even since");
}

// Cores' counters differ a little: no reason for an anchor. What they read is steady_clock's.
void a_shade_behind(execution& run) {
  tsc_clock& clock = make_clock(run);
  now().pass(too_far);
  read(clock);
  const std::uint64_t anchor = clock.anchored_at_.load(detent::base::relaxed);
  now().ticks -= 50'000;
  for (int i = 0; i != 10; ++i) {
    const int looks = now().looks;
    read(clock);
    begin_delay(clock);
    require(now().looks == looks + 2, "one look for each reading");
  }
  now().ticks += 50'000;
  require(clock.anchored_at_.load(detent::base::relaxed) == anchor && is_trusted(clock), "goes on by the same anchor");
}

// As after a change to a clock source that is not read in user space.
void read_where_samples_are_slow(execution& run) {
  tsc_clock& clock = make_clock(run);
  now().slowness = 10;
  for (int anchors = 0; anchors != 4; ++anchors) {
    now().pass(too_far);
    clock.now();
  }
  measure_spans(clock, 2);
  require(!is_trusted(clock), "is slow to read");
  now().slowness = 1;
  measure_spans(clock, 2);
  require(is_trusted(clock), "is so no more");
}

// As where two cores' counters differ by as much as that, and the anchors are taken by turns.
void disagrees_again_and_again(execution& run) {
  tsc_clock& clock = make_clock(run);
  clock.doubt_ = 28 * 60;  // 28 times before
  for (int times = 0; times != 6; ++times) {
    require(times >= 3 || !clock.is_given_up(), "an occasional suspend is no reason");
    now().jump(times % 2 == 0 ? 10'000'000 : -10'000'000);
    now().pass(too_far);
    read(clock);
    measure_spans(clock, 2);
  }
  require(clock.is_given_up(), "has disagreed again and again");
  begin_delay(clock);
  require(!is_trusted(clock), "was given up");
}

// The child has what the parent's thread had stored so far, and not that thread.
void forked_while_an_anchor_is_stored(execution& run) {
  tsc_clock& clock = make_clock(run);
  clock.sequence_.store(7, detent::base::relaxed);
  clock.span_ = {};
  clock.begin_again();
  read_for_a_while(clock);
  for (int spans = 0; spans != 2; ++spans) {
    now().pass(6'000'000);
    read(clock);
  }
  require(is_trusted(clock), "the child is as good as its parent");
}

const suite clock_fit("ClockFit", {
                                      {"ReadWhereTimePassed", read_where_time_passed},
                                      {"ReadAfterASuspend", read_after_a_suspend},
                                      {"TwoLook", two_look},
                                      {"SlewedFaster", slewed_faster},
                                      {"SlewedSlower", slewed_slower},
                                      {"SlewedToAndFro", slewed_to_and_fro},
                                      {"ReadWhereTheRateChanged", read_where_the_rate_changed},
                                      {"MeasureAfterASuspend", measure_after_a_suspend},
                                      {"ReadWhereTheCounterWasSetBack", read_where_the_counter_was_set_back},
                                      {"AShadeBehind", a_shade_behind},
                                      {"ReadWhereSamplesAreSlow", read_where_samples_are_slow},
                                      {"DisagreesAgainAndAgain", disagrees_again_and_again},
                                      {"ForkedWhileAnAnchorIsStored", forked_while_an_anchor_is_stored},
                                  });

}  // namespace
}  // namespace model
