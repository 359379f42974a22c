// SPDX-License-Identifier: MIT
// A loop that waits on the engine's descriptor learns of all that comes in the middle of the calls by which it waits.
#include <search/meetings/meeting.hpp>

namespace {

using namespace hooks;
using detent::timer;

TEST(MeetingsWakeFd, IsReadableForWhatIsScheduledInTheMiddleOfALook) {
  for (bool critical : {false, true}) {
    meet(30, [critical](meeting& at) {
      scene in;
      in.engine.schedule_at(noon + 1h, in.note());
      in.settle();
      at.hold(in, [&] { in.look(); });
      in.engine.schedule_at(noon + 1ms, in.note(), {.lane = critical ? std::uint8_t{1} : std::uint8_t{0}});
      at.go_on();
      in.expect_runs_at(noon + 1ms);
    });
  }
}

TEST(MeetingsWakeFd, IsReadableForARestartInTheMiddleOfALook) {
  meet(30, [](meeting& at) {
    scene in;
    timer moved = in.engine.schedule_at(noon + 1h, in.note());
    in.settle();
    at.hold(in, [&] { in.look(); });
    EXPECT_TRUE(moved.restart_at(noon + 1ms));
    at.go_on();
    in.expect_runs_at(noon + 1ms);
    in.expect_at_rest();
  });
}

}  // namespace
