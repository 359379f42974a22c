// SPDX-License-Identifier: MIT
// Long random histories, with periodic timers and callbacks that re-arm, on wheels of any shape. What fails is shrunk
// to the shortest history that still does. RapidCheck prints its seed; RC_PARAMS="seed=..." repeats a run.
#include <gtest/gtest.h>

#include <cstdlib>
#include <ostream>
#include <string>
#include <vector>

#include <rapidcheck.h>

#include "search/histories/boundaries.hpp"
#include "search/histories/contest.hpp"
#include "search/histories/engine_world.hpp"
#include "search/histories/exhaustive.hpp"

namespace detent::history {

// How RapidCheck shows what it found.
void showValue(const operation& step, std::ostream& out) { out << text(step); }
void showValue(const setting& where, std::ostream& out) { out << text(where, {}); }

namespace {

namespace gen = rc::gen;

rc::Gen<nanoseconds_t> any_edge() {
  return gen::map(gen::pair(gen::inRange(0U, 63U), gen::inRange<nanoseconds_t>(-1, 2)),
                  [](const auto& edge) { return (nanoseconds_t{1} << edge.first) + edge.second; });
}

rc::Gen<nanoseconds_t> any_delay() {
  return gen::weightedOneOf<nanoseconds_t>(
      {{6, gen::resize(100, gen::inRange<nanoseconds_t>(0, 200))},
       {3, gen::resize(100, any_edge())},
       {1, gen::elementOf(std::vector<nanoseconds_t>{detail::forever, -1, -64, INT64_MIN})}});
}

rc::Gen<action> one_of(std::vector<action> actions) { return gen::elementOf(std::move(actions)); }

rc::Gen<operation> arming(std::vector<action> kinds) {
  return gen::build<operation>(gen::set(&operation::what, one_of(std::move(kinds))),
                               gen::set(&operation::by, any_delay()),
                               gen::set(&operation::period, gen::resize(100, gen::inRange<nanoseconds_t>(1, 300))),
                               gen::set(&operation::runs, gen::resize(100, gen::inRange(1U, 5U))));
}

rc::Gen<operation> naming() {
  return gen::build<operation>(gen::set(&operation::what, one_of({action::restart, action::restart, action::cancel})),
                               gen::set(&operation::target, gen::resize(100, gen::inRange(0U, 40U))),
                               gen::set(&operation::by, any_delay()));
}

rc::Gen<operation> driving() {
  const auto step = gen::weightedOneOf<nanoseconds_t>(
      {{8, gen::resize(100, gen::inRange<nanoseconds_t>(0, 200))},
       {1, gen::suchThat(gen::resize(100, any_edge()), [](nanoseconds_t edge) { return edge < (1LL << 50); })}});
  return gen::oneOf(
      gen::build<operation>(gen::set(&operation::what, gen::just(action::advance)), gen::set(&operation::by, step)),
      gen::build<operation>(
          gen::set(&operation::what, gen::just(action::poll)),
          gen::set(&operation::by, gen::elementOf(std::vector<nanoseconds_t>{0, 1, 1, 2, 5, all, all}))),
      gen::just(operation{.what = action::ask}));
}

rc::Gen<std::vector<operation>> any_steps(const std::vector<action>& kinds) {
  return gen::container<std::vector<operation>>(gen::oneOf(arming(kinds), naming(), driving()));
}

rc::Gen<setting> any_setting() {
  const auto start = gen::oneOf(gen::just<nanoseconds_t>(0), gen::resize(100, any_edge()),
                                gen::map(gen::resize(100, any_edge()), [](nanoseconds_t edge) { return -edge; }));
  return gen::build<setting>(gen::set(&setting::wheel, gen::element(wheel_kind::hierarchical, wheel_kind::hashed)),
                             gen::set(&setting::tick, gen::elementOf(std::vector<nanoseconds_t>{1, 1, 3, 64, 1'000})),
                             gen::set(&setting::slots, gen::elementOf(std::vector<std::size_t>{512, 8, 1})),
                             gen::set(&setting::start, start));
}

template <class World>
void agrees(const setting& where, const std::vector<operation>& steps) {
  World world(where);
  contest<World> both(world, where);
  if (!both.agree(where.start, steps, {}))
    RC_FAIL(both.difference() + "\nrepeat it with --replay \"" + text(where, steps) + '"');
}

class RandomHistories : public testing::Test {
 protected:
  // Before RapidCheck reads it, which it does once.
  static void SetUpTestSuite() {
    const std::string parameters = long_tests()
                                       ? "max_success=20000 max_size=400"
                                       : "max_size=200 max_success=" + std::to_string(1'500 / DETENT_HISTORY_SHARE);
    setenv("RC_PARAMS", parameters.c_str(), 0);
  }
};

TEST_F(RandomHistories, AgreeOnAnEngine) {
  EXPECT_TRUE(rc::check("an engine with plain timers does what is specified", [] {
    const auto where = *any_setting();
    agrees<engine_world>(where, *any_steps({action::schedule}));
  }));
}

TEST_F(RandomHistories, AgreeOnAnEngineWhoseTimersRunAgain) {
  EXPECT_TRUE(rc::check("an engine with timers of all kinds does what is specified", [] {
    const auto where = *any_setting();
    agrees<engine_world>(
        where, *any_steps({action::schedule, action::rearm, action::burst, action::skip, action::fixed_delay}));
  }));
}

}  // namespace
}  // namespace detent::history
