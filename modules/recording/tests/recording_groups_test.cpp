// SPDX-License-Identifier: MIT
// An engine's recording with groups, which a trace does not know.
#include <gtest/gtest.h>

#include "recording_engine.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::at;
using testing::nothing;
using EngineRecordOfGroups = testing::EngineRecord;

TEST_F(EngineRecordOfGroups, HasTheCancelsOfAGroupWhenTheyAreMade) {
  auto& rig = start();
  timer_group group(rig.engine);
  group.schedule_after(10ns, nothing);
  group.schedule_after(20ns, nothing);
  rig.engine.poll();
  group.cancel_all();
  rig.poll_at(at(1005));
  EXPECT_EQ(stop().text(), "0,S,a,10,schedule\n0,S,b,20,schedule\n5,C,b,,cancel\n5,C,a,,cancel\n");
}

TEST_F(EngineRecordOfGroups, HasACancelOfAMemberThatTheEngineHadNotComeToByItsEnd) {
  auto& rig = start();
  timer_group group(rig.engine);
  group.schedule_after(10ns, nothing);
  group.cancel_all();
  EXPECT_EQ(stop().text(), "0,S,a,10,schedule\n0,C,a,,cancel\n");
  EXPECT_EQ(rig.engine.metrics().cancelled, 1u);
}

TEST_F(EngineRecordOfGroups, MovesTheMembersOfAPausedGroupToTheEndOfTimeAndBack) {
  auto& rig = start();
  timer_group group(rig.engine);
  group.schedule_after(20ns, nothing);
  group.schedule_after(10ns, nothing);
  rig.engine.schedule_after(15ns, nothing);
  rig.clock.advance_to(at(1005));
  group.pause();
  rig.poll_at(at(1100));
  group.schedule_after(7ns, nothing);
  group.resume();
  rig.poll_at(at(1105));
  rig.poll_at(at(1107));
  rig.poll_at(at(1115));
  EXPECT_EQ(stop().text(),
            "0,S,a,20,schedule\n0,S,b,10,schedule\n0,S,c,15,schedule\n"
            "5,R,a,9223372036854775807,pause\n5,R,b,9223372036854775807,pause\n"
            "100,X,c,,fire\n"
            "100,S,d,9223372036854775807,schedule\n"
            "100,R,a,15,resume\n100,R,b,5,resume\n100,R,d,7,resume\n"
            "105,X,b,,fire\n107,X,d,,fire\n115,X,a,,fire\n");
}

// Timers that are due together start in that order.
TEST_F(EngineRecordOfGroups, MovesMembersInTheOrderInWhichTheyWereArmedLast) {
  auto& rig = start();
  timer_group group(rig.engine);
  timer first = group.schedule_after(10ns, nothing);
  group.schedule_after(20ns, nothing);
  first.restart_after(20ns);
  group.pause();
  group.resume();
  rig.poll_at(at(1020));
  EXPECT_EQ(stop().text(),
            "0,S,a,10,schedule\n0,S,b,20,schedule\n0,R,a,20,restart\n"
            "0,R,b,9223372036854775807,pause\n0,R,a,9223372036854775807,pause\n"
            "0,R,b,20,resume\n0,R,a,20,resume\n20,X,b,,fire\n20,X,a,,fire\n");
}

// A member that is resumed keeps its place, but in a trace it would come behind all timers that are armed already. So
// the timers behind it are armed again as well.
TEST_F(EngineRecordOfGroups, ArmsThoseAgainThatStandBehindAResumedMember) {
  auto& rig = start({.tick = 8ns});
  timer_group group(rig.engine), other(rig.engine);
  rig.engine.schedule_after(24ns, nothing);
  group.schedule_after(24ns, nothing);
  timer later = rig.engine.schedule_after(17ns, nothing);
  rig.engine.schedule_after(32ns, nothing);
  timer gone = rig.engine.schedule_after(24ns, nothing);
  other.schedule_after(24ns, nothing);
  gone.cancel();
  other.pause();
  group.pause();
  group.resume();
  other.resume();
  later.restart_after(24ns);
  rig.poll_at(at(1024));
  EXPECT_EQ(stop().text(),
            "0,S,a,24,schedule\n0,S,b,24,schedule\n0,S,c,24,schedule\n0,S,d,32,schedule\n0,S,e,24,schedule\n"
            "0,S,f,24,schedule\n0,C,e,,cancel\n0,R,f,9223372036854775807,pause\n0,R,b,9223372036854775807,pause\n"
            "0,R,b,24,resume\n0,R,c,24,resume\n0,R,f,24,resume\n0,R,c,24,restart\n"
            "24,X,a,,fire\n24,X,b,,fire\n24,X,f,,fire\n24,X,c,,fire\n");
}

// The last member is armed by its schedule call, and the others also by their runs before and after a pause. The
// requested deadline is moved and then rounded up again; 1024 is a multiple of the tick.
TEST_F(EngineRecordOfGroups, MovesTheMembersThatGoOnAfterTheirRuns) {
  auto& rig = start({.tick = 64ns});
  timer_group group(rig.engine);
  group.schedule_at_fixed_rate(20ns, 100ns, nothing);
  group.schedule_after(20ns, [](firing& now) { now.rearm_after(150ns); });
  group.schedule_after(217ns, nothing);
  rig.poll_at(at(1024));
  rig.clock.advance_to(at(1030));
  group.pause();
  rig.clock.advance(50ns);
  group.resume();
  for (const int due : {1216, 1280}) rig.poll_at(at(due));
  group.pause();
  rig.clock.advance(90ns);
  group.resume();
  EXPECT_EQ(stop().text(),
            "0,S,a,24,schedule\n0,S,b,24,schedule\n0,S,c,280,schedule\n"
            "24,X,a,,fire\n24,S,a,128,period\n24,X,b,,fire\n24,S,b,192,rearm\n"
            "30,R,c,9223372036854775807,pause\n30,R,a,9223372036854775807,pause\n30,R,b,9223372036854775807,pause\n"
            "80,R,c,200,resume\n80,R,a,136,resume\n80,R,b,200,resume\n216,X,a,,fire\n216,S,a,64,period\n"
            "280,X,c,,fire\n280,X,b,,fire\n280,S,b,192,rearm\n280,X,a,,fire\n280,S,a,128,period\n"
            "280,R,b,9223372036854775807,pause\n280,R,a,9223372036854775807,pause\n"
            "370,R,b,166,resume\n370,R,a,102,resume\n");
}

TEST_F(EngineRecordOfGroups, ShowsARestartAfterAPauseByTheEnginesTime) {
  auto& rig = start();
  timer_group group(rig.engine);
  timer member = group.schedule_after(20ns, nothing);
  rig.clock.advance_to(at(1005));
  group.pause();
  rig.clock.advance_to(at(1100));
  group.resume();
  EXPECT_TRUE(member.restart_at(at(1150)));
  EXPECT_EQ(stop().text(),
            "0,S,a,20,schedule\n5,R,a,9223372036854775807,pause\n"
            "100,R,a,15,resume\n100,R,a,50,restart\n");
}

TEST_F(EngineRecordOfGroups, MovesNoMemberThatHasEndedOrIsDueNever) {
  auto& rig = start();
  timer_group group(rig.engine);
  group.schedule_after(10ns, nothing);
  group.schedule_at(time_point::max(), nothing);
  group.schedule_after(20ns, nothing).cancel();
  rig.poll_at(at(1010));
  group.pause();
  group.resume();
  EXPECT_EQ(stop().text(),
            "0,S,a,10,schedule\n0,S,b,9223372036854775807,schedule\n0,S,c,20,schedule\n0,C,c,,cancel\n"
            "10,X,a,,fire\n");
}

}  // namespace
}  // namespace detent
