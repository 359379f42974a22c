// SPDX-License-Identifier: MIT
// A stop request in the middle of the end of the engine whose timer it cancels.
#include <search/meetings/meeting.hpp>

#include <optional>
#include <stop_token>

namespace {

using namespace hooks;

// The end of the engine does not wait for a timer that is cancelled already, nor for its canceller.
TEST(MeetingsStopRequest, ThatHasCancelledATimerOutlivesTheEngine) {
  for (bool filed : {false, true}) {
    meet(8, [filed](meeting& at) {
      detent::testing::census captures;
      detent::manual_clock clock;
      std::optional<detent::engine> owned(detent::engine_options{.manual = &clock, .reserve = 0});
      std::stop_source source;
      detent::timer subject = owned->schedule_after(1h, source.get_token(), [here = captures.join()] {});
      if (filed) owned->poll();
      bool cancelled = false;
      const watcher sees = [&](operation, const site&) {
        if (cancelled || subject.pending()) return;
        cancelled = true;
        at.from_here();
      };
      at.hold_inside([&] {
        watch(&sees);
        source.request_stop();
        watch(nullptr);
      });
      owned.reset();
      at.go_on();
      EXPECT_TRUE(cancelled);
      EXPECT_EQ(captures.living(), 0);
    });
  }
}

}  // namespace
