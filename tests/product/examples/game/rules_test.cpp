// SPDX-License-Identifier: MIT
// The rules of the example's match, each as a question of timers, on the manual clock.
#include <gtest/gtest.h>

#include <utility>

#include "product/examples/game/played_match.hpp"

namespace game {
namespace {

constexpr std::int64_t ns_of(detent::duration time) { return time.count(); }

TEST(GameRules, AStrikeHasToWaitForItsCoolDown) {
  played_match two(1, 2);
  two.approach(0, 1);
  const int before = two.at(1).health;
  two.strike(0, 1);
  two.strike(0, 1);
  EXPECT_EQ(two.at(1).health, before - rules::strike_damage);
  EXPECT_TRUE(two.at(0).strike_cooldown.pending());
  two.pass(rules::strike_cooldown - 3 * frame_length);
  EXPECT_TRUE(two.at(0).strike_cooldown.pending());
  two.frames(3);
  EXPECT_FALSE(two.at(0).strike_cooldown.pending());
  two.strike(0, 1);
  EXPECT_EQ(two.count("p0 strikes p1"), 2u);
}

TEST(GameRules, AShieldHalvesAStrikeAndEndsToTheNanosecond) {
  played_match two(1, 2);
  two.approach(0, 1);
  two.frame({{.player = 1, .what = action::shield}, {.player = 0, .what = action::strike, .first = 1}});
  EXPECT_EQ(two.at(1).health, rules::full_health - rules::strike_damage / 2);
  two.pass(rules::shield_lasts);
  EXPECT_FALSE(two.at(1).shield.pending());
  EXPECT_EQ(two.time_of("p1 has no shield any more") - two.time_of("p1 raises a shield"), ns_of(rules::shield_lasts));
  two.frame({{.player = 1, .what = action::shield}});
  EXPECT_EQ(two.count("p1 raises a shield"), 1u) << "before its cool-down";
  two.pass(rules::shield_cooldown - rules::shield_lasts);
  two.frame({{.player = 1, .what = action::shield}});
  EXPECT_EQ(two.count("p1 raises a shield"), 2u);
}

TEST(GameRules, ASecondPowerUpMakesTheFirstLastLonger) {
  played_match one(1, 1);
  std::int64_t first = 0, second = 0;  // two within the time that one lasts
  for (int frame = 0; first == 0 || second - first >= ns_of(rules::haste_lasts); ++frame) {
    ASSERT_LT(frame, 10'000);
    one.seek_power_up(0);
    if (const std::int64_t latest = one.time_of("p0 is hasted"); latest > second) first = std::exchange(second, latest);
  }
  one.stop(0);
  while (one.at(0).haste.pending() && one.time_of("p0 is hasted") == second) one.frame();
  EXPECT_EQ(one.time_of("p0 is hasted no longer") - second, ns_of(rules::haste_lasts));
}

TEST(GameRules, ADeathEndsAllTimersOfThePlayerAndARespawnBringsItBack) {
  played_match two(1, 2);
  two.approach(0, 1);
  two.frame({{.player = 1, .what = action::shield}});
  while (two.at(1).alive) two.strike(0, 1);
  EXPECT_EQ(two.at(0).kills, 1);
  EXPECT_EQ(two.at(1).deaths, 1);
  EXPECT_EQ(two.at(1).flags(), 0u) << "no cool-down, buff or poison is left";
  EXPECT_FALSE(two.at(1).shield_cooldown.pending());
  two.pass(rules::respawn_after);
  EXPECT_TRUE(two.at(1).alive);
  EXPECT_EQ(two.at(1).health, rules::full_health);
  EXPECT_EQ(two.time_of("p1 is alive again") - two.time_of("p1 dies of p0"), ns_of(rules::respawn_after));
}

TEST(GameRules, PoisonRunsFiveTimesAndItsKillIsThePoisoners) {
  played_match two(3, 2);
  while (!(two.at(1).flags() & flag::poisoned)) {
    two.approach(0, 1);
    two.strike(0, 1);
    two.pass(rules::strike_cooldown);
    if (two.play.frames() > 5000) FAIL() << "never poisoned";
  }
  const auto before = two.count("p1 suffers poison of p0");
  two.pass(rules::poison_every * (rules::poison_runs + 2));
  EXPECT_GE(two.count("p1 suffers poison of p0") - before + 1, 5u);
  EXPECT_LE(two.count("p1 suffers poison of p0") - before, 5u);
  EXPECT_FALSE(two.at(1).poison.pending());
}

TEST(GameRules, InAPauseEverythingStandsStillAndGoesOnWhereItWas) {
  played_match two(1, 2);
  two.frame({{.player = 0, .what = action::shield}, {.player = 0, .what = action::move, .first = 1}});
  two.frames(30);
  const std::int64_t raised = two.time_of("p0 raises a shield");
  two.frame({{.player = 1, .what = action::pause}});
  const int x = two.at(0).x;
  two.frames(60);
  EXPECT_EQ(two.at(0).x, x);
  EXPECT_TRUE(two.at(0).shield.pending());
  two.frame({{.player = 0, .what = action::resume}});
  const std::int64_t stood_still = two.time_of("goes on") - two.time_of("p1 pauses");
  two.pass(rules::shield_lasts);
  EXPECT_EQ(two.time_of("p0 has no shield any more") - raised, ns_of(rules::shield_lasts) + stood_still);
}

TEST(GameRules, APauseEndsByItselfAndAnotherHasToWait) {
  played_match two(1, 2);
  two.frame({{.player = 0, .what = action::pause}});
  EXPECT_TRUE(two.play.paused());
  two.pass(rules::longest_pause);
  EXPECT_FALSE(two.play.paused());
  two.frame({{.player = 1, .what = action::pause}});
  EXPECT_FALSE(two.play.paused()) << "right after another";
  two.pass(rules::between_pauses);
  two.frame({{.player = 0, .what = action::pause}});
  EXPECT_FALSE(two.play.paused()) << "the same player's second";
  two.frame({{.player = 1, .what = action::pause}});
  EXPECT_TRUE(two.play.paused());
}

TEST(GameRules, WhoJoinsInAPauseStandsStillLikeTheOthers) {
  played_match one(1, 1);
  one.frame({{.player = 0, .what = action::pause}});
  one.frame({{.player = 1, .what = action::join}});
  const auto fired = one.play.timer_counts().fired;
  one.pass(rules::regeneration_every + frame_length);
  EXPECT_TRUE(one.play.paused());
  EXPECT_EQ(one.play.timer_counts().fired, fired);
  one.frame({{.player = 0, .what = action::resume}});
  one.pass(rules::regeneration_every);
  EXPECT_EQ(one.play.timer_counts().fired, fired + 4) << "two regenerations, a power-up, the end of the breather";
}

TEST(GameRules, WhoIsAwayCannotBeHurtAndLosesNoTime) {
  played_match two(1, 2);
  two.approach(0, 1);
  two.frame({{.player = 1, .what = action::shield}});
  two.frame({{.player = 1, .what = action::away}});
  two.strike(0, 1);
  EXPECT_EQ(two.at(1).health, rules::full_health);
  two.pass(2 * rules::shield_lasts);
  EXPECT_TRUE(two.at(1).shield.pending());
  two.frame({{.player = 1, .what = action::back}});
  two.pass(rules::shield_lasts);
  EXPECT_EQ(two.time_of("p1 has no shield any more") - two.time_of("p1 raises a shield"),
            ns_of(rules::shield_lasts) + two.time_of("p1 is back") - two.time_of("p1 is away"));
}

TEST(GameRules, WhoReturnsInAPauseWaitsForItsEnd) {
  played_match two(1, 2);
  two.frame({{.player = 1, .what = action::shield}});
  two.frame({{.player = 1, .what = action::away}});
  two.frame({{.player = 0, .what = action::pause}});
  two.frame({{.player = 1, .what = action::back}});
  two.frames(60);
  two.frame({{.player = 0, .what = action::resume}});
  two.pass(rules::shield_lasts);
  EXPECT_EQ(two.time_of("p1 has no shield any more") - two.time_of("p1 raises a shield"),
            ns_of(rules::shield_lasts) + two.time_of("goes on") - two.time_of("p1 is away"));
}

TEST(GameRules, WhoIsAwayWhenAPauseEndsStandsStillStill) {
  played_match two(1, 2);
  two.frame({{.player = 1, .what = action::shield}});
  two.frame({{.player = 0, .what = action::pause}});
  two.frame({{.player = 1, .what = action::away}});
  two.frame({{.player = 0, .what = action::resume}});
  two.pass(2 * rules::shield_lasts);
  EXPECT_TRUE(two.at(1).shield.pending());
}

TEST(GameRules, WhoLeavesTakesItsTimersAlong) {
  played_match two(1, 2);
  const auto before = two.play.timer_counts().pending;
  two.frame({{.player = 5, .what = action::join}});
  two.frame({{.player = 5, .what = action::shield}});
  EXPECT_EQ(two.play.timer_counts().pending, before + 3);
  two.frame({{.player = 5, .what = action::leave}});
  two.frame({{.player = 5, .what = action::shield}});  // said before it left
  EXPECT_EQ(two.play.timer_counts().pending, before);
  EXPECT_EQ(two.play.find(5), nullptr);
}

}  // namespace
}  // namespace game
