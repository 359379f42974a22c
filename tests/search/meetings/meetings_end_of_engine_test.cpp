// SPDX-License-Identifier: MIT
// A callback ends its engine in the middle of the call that armed it: the end waits until that call needs the engine no
// more.
#include <search/meetings/meeting.hpp>

#include <array>
#include <functional>
#include <memory>

namespace {

using namespace hooks;
using detent::timer;

// An engine that the first run of end() destroys, driven by the test's own thread.
struct mortal {
  auto end() {
    return [this] {
      if (owned == nullptr) return;
      const waits_for_it letting;
      group.reset();
      owned.reset();
      beside_a_call = is_holding();
    };
  }

  mortal() {
    owned->wake_fd();  // a ring signals it
    pending = group->schedule_after(1h, end());
    plain = owned->schedule_after(1h, end());
    owned->poll();
  }

  // Holds `arm` at each of its operations; the driver fires what it has armed, if it can be seen by then. `outlives`:
  // the call keeps what it needs by itself, and the address sanitizer sees whether it does.
  static void meets(const std::function<void(mortal&)>& arm, bool outlives = false) {
    meet(8, [&arm, outlives](meeting& at) {
      mortal m;
      detent::engine& polled = *m.owned;
      at.hold_inside([&] {
        polled.schedule_after(2h, [] {}).cancel();  // its thread has a record from here on
        at.from_here();
        arm(m);
      });
      m.clock.advance(1min);
      polled.poll();
      EXPECT_FALSE(m.beside_a_call && !outlives) << "the engine has gone, and the call is still inside";
      at.go_on();
      if (m.owned != nullptr) polled.poll();
      EXPECT_EQ(m.owned, nullptr);
    });
  }

  detent::manual_clock clock{noon};
  std::unique_ptr<detent::engine> owned = std::make_unique<detent::engine>(
      detent::engine_options{.drive = detent::drive_kind::caller, .manual = &clock, .reserve = 0});
  detent::label label = owned->make_label("orders");
  std::optional<detent::timer_group> group{*owned};
  timer pending, plain;
  bool beside_a_call = false;
};

TEST(MeetingsEndOfEngine, WaitsForAScheduleCall) {
  mortal::meets([](mortal& m) { m.owned->schedule_at(noon, m.end()); });
  mortal::meets([](mortal& m) { m.owned->schedule_at(noon, m.end(), {.label = m.label}); });
  mortal::meets([](mortal& m) { m.owned->schedule_at_fixed_rate(0ns, 1s, m.end()); });
}

TEST(MeetingsEndOfEngine, WaitsForABulkCall) {
  mortal::meets(
      [](mortal& m) {
        const std::array<detent::time_point, 2> deadlines{noon, noon};
        std::array<timer, 2> made;
        m.owned->schedule_at_bulk(
            deadlines, [end = m.end()](std::size_t) { end(); }, made);
      },
      true);
}

TEST(MeetingsEndOfEngine, WaitsForARestart) {
  mortal::meets([](mortal& m) { m.plain.restart_at(noon); });
  mortal::meets([](mortal& m) { m.pending.restart_at(noon); });
}

TEST(MeetingsEndOfEngine, WaitsForACallOfAGroup) {
  mortal::meets([](mortal& m) { m.group->schedule_after(0ns, m.end()); });
}

}  // namespace
