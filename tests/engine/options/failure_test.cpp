// SPDX-License-Identifier: MIT
// Calls that do not throw report the sentence of the exception: by detent::failure, and in C by detent_last_error().
#include <detent/detent.h>
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

#include "support/drive_problem.hpp"
#include "support/drive_virtual.hpp"
#include "support/engine_executors.hpp"
#include "support/joined_thread.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using drive::at;
using drive::problem_of;
using testing::holding_executor;

// Checks that a call has failed with `code`, in a sentence that begins with the engine's name and contains `words`, and
// in C as well.
void expect_failure(const failure& seen, errc code, const std::string& words) {
  EXPECT_TRUE(seen);
  EXPECT_EQ(seen, code);
  const std::string message = seen.message();
  EXPECT_TRUE(message.starts_with("engine \"gateway\": ")) << message;
  EXPECT_NE(message.find(words), std::string::npos) << message;
  const char* in_c = nullptr;
  EXPECT_EQ(detent_last_error(&in_c), static_cast<int>(code));
  EXPECT_EQ(std::string_view(in_c), message);
}

// Checks that both forms of a schedule call fail with the same sentence.
template <class Throwing, class Trying>
void expect_same(Throwing&& throwing, Trying&& trying, errc code, const std::string& words) {
  const drive::problem thrown = problem_of(throwing);
  const failure seen = trying().error();
  EXPECT_EQ(thrown.code, code);
  EXPECT_EQ(seen.message(), thrown.what);
  expect_failure(seen, code, words);
}

TEST(FailureOfTryCreate, HasTheSentenceOfTheException) {
  const engine_options impossible[] = {{.name = "gateway", .cpu = 100'000},
                                       {.name = "gateway", .counters_file = "/nonexistent/x"},
                                       {.name = "gateway", .tick = 0ns}};
  const char* const words[] = {"cpu = 100000", "counters_file = ", "tick = 0 ns: must be"};
  for (std::size_t i = 0; i < std::size(words); ++i) {
    const drive::problem thrown = problem_of([&] { engine e(impossible[i]); });
    failure seen;
    EXPECT_FALSE(engine::try_create(impossible[i], seen));
    EXPECT_EQ(seen.message(), thrown.what);
    expect_failure(seen, errc::invalid_option, words[i]);
  }
}

TEST(FailureOfTryCreate, IsKeptThoughOthersFollow) {
  failure first, second, none(errc::forked);
  EXPECT_FALSE(engine::try_create({.cpu = 100'000}, first));
  EXPECT_FALSE(engine::try_create({.tick = 0ns}, second));
  EXPECT_NE(first.message().find("cpu = 100000"), std::string::npos);
  EXPECT_NE(second.message().find("tick = 0 ns"), std::string::npos);
  EXPECT_TRUE(engine::try_create({.drive = drive_kind::caller}, none));
  EXPECT_FALSE(none);
  EXPECT_EQ(none.message(), "");
}

TEST(FailureOfTryStop, NamesTheCall) {
  drive::virtual_engine v({.name = "gateway"});
  failure seen;
  v.engine.schedule_at(at(1), [&] { v.engine.try_stop(seen); });
  v.poll_at(at(1));
  expect_failure(seen, errc::called_from_callback, "try_stop(): called from a callback of this engine");
}

TEST(FailureOfTrySchedule, HasTheOptionItsValueAndTheCure) {
  drive::virtual_engine v({.name = "gateway"}), other;
  engine& e = v.engine;
  timer_group group(e);
  const timer_options lane{.lane = 9}, slack{.slack = -5ns}, foreign{.label = other.engine.make_label("theirs")};
  holding_executor stranger;
  const timer_options executor{.executor = &stranger};
  for (const auto& [options, words] :
       {std::pair(lane, "lane = 9: must be 0 to 3"), std::pair(slack, "slack = -5 ns: must not be negative"),
        std::pair(foreign, "label = \"theirs\": belongs to another engine; make it by"),
        std::pair(executor, "executor: not one of this engine's; add it")}) {
    expect_same(
        [&, &of = options] {
          e.schedule_after(
              1s, [] {}, of);
        },
        [&, &of = options] {
          return e.try_schedule_after(
              1s, [] {}, of);
        },
        errc::invalid_option, words);
    expect_same(
        [&, &of = options] {
          group.schedule_at(
              at(1), [] {}, of);
        },
        [&, &of = options] {
          return group.try_schedule_at(
              at(1), [] {}, of);
        },
        errc::invalid_option, words);
  }
  expect_same([&] { e.schedule_at_fixed_rate(1s, -2ns, [] {}); },
              [&] { return e.try_schedule_at_fixed_rate(1s, -2ns, [] {}); }, errc::invalid_period,
              "period = -2 ns: must be more than 0 ns");
  expect_same([&] { e.schedule_with_fixed_delay(1s, 1s, [] {}, {.lane = 4}); },
              [&] { return e.try_schedule_with_fixed_delay(1s, 1s, [] {}, {.lane = 4}); }, errc::invalid_option,
              "lane = 4: must be 0 to 3");
}

TEST(FailureOfTrySchedule, SaysWhyNothingIsTaken) {
  drive::virtual_engine v({.name = "gateway", .max_pending = 1});
  engine& e = v.engine;
  const auto schedules = [&] { e.schedule_after(1s, [] {}); };
  const auto tries = [&] { return e.try_schedule_after(1s, [] {}); };
  EXPECT_FALSE(tries().error());
  expect_same(schedules, tries, errc::capacity_exceeded, "max_pending = 1: that many timers are pending; raise it");
  e.close();
  expect_same(schedules, tries, errc::stopped, "it is closed, and takes no more timers");
  e.stop();
  expect_same(schedules, tries, errc::stopped, "it is stopped, and takes no more timers");
}

TEST(FailureOfTrySchedule, OfTheFastPathSaysWhyNothingIsTaken) {
  drive::virtual_engine v({.name = "gateway"});
  v.engine.close();
  expect_same([&] { v.engine.schedule_at(at(1), [] {}); }, [&] { return v.engine.try_schedule_at(at(1), [] {}); },
              errc::stopped, "it is closed");
}

// A handle has no room for a sentence: the thread keeps it, until the next.
TEST(FailureOfTrySchedule, IsTheSentenceOfTheThreadsLatestAndElseTheCodes) {
  drive::virtual_engine v({.name = "gateway"});
  const std::string of_the_code = make_error_code(errc::invalid_option).message();
  const timer first = v.engine.try_schedule_after(1s, [] {}, {.lane = 9});
  const failure kept = first.error();
  std::string elsewhere;
  {
    testing::joined_thread other([&] {
      v.engine.try_schedule_after(1s, [] {}, {.lane = 5});
      elsewhere = kept.message();
    });
  }
  EXPECT_EQ(elsewhere, of_the_code);
  EXPECT_NE(kept.message().find("lane = 9"), std::string::npos);
  const timer second = v.engine.try_schedule_after(1s, [] {}, {.lane = 7});
  EXPECT_EQ(kept.message(), of_the_code);
  EXPECT_EQ(first.error().message(), of_the_code);
  EXPECT_NE(second.error().message().find("lane = 7"), std::string::npos);
  EXPECT_EQ(first, second);
}

TEST(Failure, IsAnErrorCodeToThoseWhoWantOne) {
  const failure none, some(errc::stopped), said(errc::stopped, "it is over");
  const std::error_code code = some;
  EXPECT_EQ(code, errc::stopped);
  EXPECT_EQ(std::error_code(none), std::error_code());
  EXPECT_EQ(some, said);
  EXPECT_NE(some, none);
  EXPECT_EQ(some.message(), code.message());
  EXPECT_EQ(said.message(), "it is over");
}

}  // namespace
}  // namespace detent
