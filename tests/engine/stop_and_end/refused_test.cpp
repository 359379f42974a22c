// SPDX-License-Identifier: MIT
// A schedule call that loses against close() or stop() is refused, and nothing anywhere shows that it was made.
#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/drive_problem.hpp"
#include "support/engine_captures.hpp"
#include "support/joined_thread.hpp"
#include "support/recorded_trace.hpp"

namespace detent {
namespace {

using namespace std::chrono_literals;
using testing::bystander;
using testing::census;
using testing::recorded_trace;

enum class way { plain, boxed, labelled, in_a_group, periodic, bulk, labelled_bulk };

struct parameters {
  way scheduled;
  bool limited;  // by a capacity
  bool recorded;
};

class RefusedRace : public ::testing::TestWithParam<parameters> {
 protected:
  // One engine, which two threads schedule on until it refuses. Each handle that they got counts.
  struct subject {
    explicit subject(const parameters& of, std::string record)
        : how(of), e({.max_pending = of.limited ? 1'000'000u : 0u, .reserve = 64, .record = std::move(record)}) {}

    void schedule_one() {
      std::error_code problem;
      const auto count = [&](const timer& made) {
        made ? static_cast<void>(given.fetch_add(1)) : static_cast<void>(problem = made.error());
      };
      switch (how.scheduled) {
        case way::plain: count(e.try_schedule_after(1h, bystander<0>{captures.join()})); break;
        case way::boxed: count(e.try_schedule_after(1h, bystander<64>{captures.join()})); break;
        case way::labelled: count(e.try_schedule_after(1h, bystander<0>{captures.join()}, {.label = name})); break;
        case way::in_a_group: count(group.try_schedule_after(1h, bystander<0>{captures.join()})); break;
        case way::periodic: count(e.try_schedule_at_fixed_rate(1h, 1h, bystander<0>{captures.join()})); break;
        case way::bulk:
        case way::labelled_bulk: problem = schedule_many(); break;
      }
      if (!problem) return;
      EXPECT_EQ(problem, errc::stopped);
      refused = true;
    }
    std::error_code schedule_many() {
      const std::array deadlines{e.now() + 1h, e.now() + 2h, e.now() + 3h};
      std::array<timer, 3> made;
      std::size_t count = 0;
      const drive::problem failed = drive::problem_of([&] {
        count = e.schedule_at_bulk(deadlines, [here = captures.join()](std::size_t) {}, made,
                                   {.label = how.scheduled == way::labelled_bulk ? name : label()});
      });
      given.fetch_add(count);
      return failed.code;
    }

    const parameters how;
    census captures;
    engine e;
    timer_group group{e};
    label name = e.make_label("refused");
    std::atomic<std::uint64_t> given{0};
    std::atomic<bool> refused{false};
  };

  // Checks that this many of the given timers were returned, and that nothing else is left.
  static void expect_no_trace(const subject& of, std::uint64_t returned) {
    const std::uint64_t given = of.given, pending = given - returned;
    const auto if_so = [&](std::initializer_list<way> ways, std::uint64_t count) {
      return std::find(ways.begin(), ways.end(), of.how.scheduled) != ways.end() ? count : 0;
    };
    const engine_metrics m = of.e.metrics(), labelled = of.e.metrics(of.name);
    EXPECT_EQ(m.scheduled, given);
    EXPECT_EQ(m.returned, returned);
    EXPECT_EQ(m.pending, pending);
    EXPECT_EQ(m.boxed, if_so({way::boxed}, given));
    EXPECT_EQ(labelled.scheduled, if_so({way::labelled, way::labelled_bulk}, given));
    EXPECT_EQ(labelled.returned, if_so({way::labelled, way::labelled_bulk}, returned));
    EXPECT_EQ(labelled.pending, if_so({way::labelled, way::labelled_bulk}, pending));
    EXPECT_EQ(of.group.pending(), if_so({way::in_a_group}, pending));
  }
  // end(engine) is what two threads that schedule lose against; returns what it returned.
  void race(const std::function<std::vector<unfired_timer>(engine&)>& end) {
    for (int round = 0; round < 15 && !HasFailure(); ++round) {
      const testing::recording_place place;
      const std::string path = GetParam().recorded ? place.path() : "";
      std::optional<subject> of(std::in_place, GetParam(), path);
      std::atomic<int> ready{0};
      std::vector<unfired_timer> left;
      {
        std::vector<testing::joined_thread> threads;
        for (int t = 0; t < 2; ++t) {
          threads.emplace_back([&] {
            for (ready.fetch_add(1); !of->refused;) of->schedule_one();
          });
        }
        while (ready < 2) std::this_thread::yield();
        const auto until = clock::now() + duration(round * 2000);
        while (clock::now() < until) {
        }
        left = end(of->e);
      }
      expect_no_trace(*of, left.size());
      if (!of->e.stopped()) left = of->e.stop();
      EXPECT_EQ(left.size(), of->given);
      expect_no_trace(*of, left.size());
      left.clear();
      EXPECT_EQ(of->captures.living(), 0);
      const std::uint64_t given = of->given;
      of.reset();
      if (path.empty()) continue;
      const recorded_trace trace = recorded_trace::of_file(path);
      EXPECT_EQ(trace.count('S') + trace.dropped, given);
    }
  }
};

TEST_P(RefusedRace, AgainstCloseLeavesNoTrace) {
  race([](engine& e) {
    e.close();
    return std::vector<unfired_timer>();
  });
}

TEST_P(RefusedRace, AgainstStopLeavesNoTrace) {
  race([](engine& e) { return e.stop(); });
}

std::string name_of(const ::testing::TestParamInfo<parameters>& tested) {
  const char* const names[] = {"plain", "boxed", "labelled", "in_a_group", "periodic", "bulk", "labelled_bulk"};
  return std::string(names[static_cast<std::size_t>(tested.param.scheduled)]) +
         (tested.param.limited ? "_limited" : "") + (tested.param.recorded ? "_recorded" : "");
}
INSTANTIATE_TEST_SUITE_P(All, RefusedRace,
                         ::testing::Values(parameters{way::plain, false, false}, parameters{way::plain, true, false},
                                           parameters{way::boxed, false, false}, parameters{way::labelled, true, false},
                                           parameters{way::in_a_group, false, false},
                                           parameters{way::periodic, false, false}, parameters{way::bulk, true, false},
                                           parameters{way::labelled_bulk, false, false},
                                           parameters{way::plain, false, true},
                                           parameters{way::in_a_group, false, true},
                                           parameters{way::bulk, false, true}),
                         name_of);

}  // namespace
}  // namespace detent
