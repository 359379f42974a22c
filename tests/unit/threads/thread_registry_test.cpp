// SPDX-License-Identifier: MIT
#include "threads/thread_registry.hpp"
#include "support/joined_thread.hpp"

#include <detent/engine.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <set>
#include <thread>
#include <vector>

namespace detent::detail {
namespace {

using namespace std::chrono_literals;

engine_options small_and_quiet() {
  engine_options made;
  made.drive = drive_kind::caller;
  made.reserve = 16;
  return made;
}

// A registry, and what its records are made with.
struct owner {
  submission_queue queue{16};
  counters_block counts{small_and_quiet()};
  std::mutex mutex;
  std::vector<thread_record*> left;
  thread_registry threads{{this, counts, enrol, take_leave, retire}};

  static bool enrol(void* self, producer& made) noexcept { return static_cast<owner*>(self)->queue.enrol(made); }
  static void take_leave(void* self, thread_record& leaving) noexcept {
    auto& host = *static_cast<owner*>(self);
    std::lock_guard lock(host.mutex);
    host.left.push_back(&leaving);
  }
  static void retire(void* self, thread_record& old) noexcept { static_cast<owner*>(self)->queue.retire(old.pushed); }

  std::size_t records() const {
    std::size_t count = 0;
    threads.for_each([&](thread_record&) { ++count; });
    return count;
  }
};

TEST(ThreadRegistry, KeepsTheRecordsOfEnginesApart) {
  owner first, second;
  thread_record* mine = first.threads.mine();
  thread_record* others = second.threads.mine();
  EXPECT_NE(mine, others);
  for (int i = 0; i < 3; ++i) {  // the cached record of the last one used must not mix them up
    EXPECT_EQ(first.threads.mine(), mine);
    EXPECT_EQ(second.threads.mine(), others);
  }
}

TEST(ThreadRegistry, GivesThreadsThatLiveAtOnceRecordsOfTheirOwn) {
  owner one;
  constexpr std::size_t count = 4;
  std::array<thread_record*, count> records{};
  std::atomic<std::size_t> ready{0};
  testing::on_threads(count, [&](std::size_t i) {
    records[i] = one.threads.mine();
    one.threads.mine()->counts.add(counter::scheduled, i + 1);
    ready.fetch_add(1);
    while (ready.load() < count) std::this_thread::yield();
  });
  EXPECT_EQ(std::set<thread_record*>(records.begin(), records.end()).size(), count);
  EXPECT_EQ(one.records(), count);
  EXPECT_EQ(one.threads.total(counter::scheduled), 10U);
}

TEST(ThreadRegistry, HandsARecordOnWhenItsThreadHasEnded) {
  owner one;
  for (int i = 0; i < 20; ++i) {
    std::thread([&one] { one.threads.mine()->counts.add(counter::cancelled); }).join();
  }
  EXPECT_EQ(one.records(), 1U);
  EXPECT_EQ(one.threads.total(counter::cancelled), 20U) << "what was counted stays counted";
}

// A thread counts its armings, and keeps of the count what a word has room for.
TEST(ThreadRegistry, OrdersAThreadsTimersWhileItsCountGoesRound) {
  manual_clock clock;
  engine one({.manual = &clock});
  const timer later = one.schedule_at(time_point(1s), [] {});
  thread_record* mine = nullptr;
  ASSERT_TRUE(thread_registry::fast_path(timer_access::core(later), fast_paths::some, mine));
  mine->next_order = UINT32_MAX - 5;
  std::vector<int> fired, expected(12);
  std::iota(expected.begin(), expected.end(), 0);
  for (const int id : expected) {
    auto note = [&fired, id] { fired.push_back(id); };
    if (id % 2 == 0) {
      one.schedule_at(time_point(10ns), note);
    } else {
      one.schedule_at(time_point(1ns), note).restart_at(time_point(10ns));
    }
  }
  clock.advance_to(time_point(10ns));
  EXPECT_EQ(one.poll(), expected.size());
  EXPECT_EQ(fired, expected);
  EXPECT_EQ(one.pending(), 1u);
  EXPECT_EQ(one.metrics().expired, expected.size());
}

TEST(ThreadRegistry, LetsALeavingThreadTakeItsLeaveOnce) {
  owner one;
  thread_record* seen = nullptr;
  std::thread([&] { seen = one.threads.mine(); }).join();
  EXPECT_EQ(one.left, std::vector<thread_record*>{seen});
}

TEST(ThreadRegistry, SurvivesEitherOrderOfEnds) {
  auto engine_first = std::make_unique<owner>();
  std::atomic<int> stage{0};
  std::thread outlives([&] {
    EXPECT_NE(engine_first->threads.mine(), nullptr);
    stage.store(1);
    while (stage.load() != 2) std::this_thread::yield();
    owner next;  // scans the thread's records, and finds the dead one
    EXPECT_NE(next.threads.mine(), nullptr);
  });
  while (stage.load() != 1) std::this_thread::yield();
  engine_first.reset();
  stage.store(2);
  outlives.join();

  auto thread_first = std::make_unique<owner>();
  std::thread([&] { thread_first->threads.mine(); }).join();
  thread_first.reset();
}

TEST(ThreadRegistry, FindsEachOfManyEnginesAlsoWhenSomeHaveEnded) {
  std::vector<std::unique_ptr<owner>> all(100);
  std::vector<thread_record*> mine(all.size());
  for (int round = 0; round < 4; ++round) {
    for (std::size_t i = 0; i < all.size(); i += static_cast<std::size_t>(round) + 1) {
      all[i] = std::make_unique<owner>();
      mine[i] = all[i]->threads.mine();
    }
    EXPECT_EQ(std::set<thread_record*>(mine.begin(), mine.end()).size(), mine.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      EXPECT_EQ(all[i]->threads.mine(), mine[i]);
      EXPECT_EQ(all[i]->records(), 1U);
    }
  }
}

TEST(ThreadRegistry, GivesANewEngineANewRecordWhereAnOldOneWas) {
  std::optional<owner> place;
  for (int i = 0; i < 3; ++i) {
    place.emplace();
    thread_record* mine = place->threads.mine();
    ASSERT_NE(mine, nullptr);
    EXPECT_TRUE(mine->enrolled);
    EXPECT_FALSE(mine->link.engine_gone());
    EXPECT_EQ(mine->counts.read(counter::fired), 0U);
    mine->counts.add(counter::fired);
  }
}

// Destroyed after the thread's records, as it was made before them.
struct asks_at_the_end {
  owner* asked = nullptr;
  bool* stood_in = nullptr;
  ~asks_at_the_end() {
    if (asked == nullptr) return;
    record_lease first(asked->threads), nested(asked->threads);
    first->counts.add(counter::returned);
    *stood_in = asked->threads.mine() == nullptr && &*nested == &*first;
  }
};

TEST(RecordLease, IsTheSpareAtTheVeryEndOfAThread) {
  owner one;
  bool stood_in = false;
  std::thread([&] {
    thread_local asks_at_the_end late;
    late.asked = &one;
    late.stood_in = &stood_in;
    EXPECT_NE(one.threads.mine(), nullptr);
  }).join();
  EXPECT_TRUE(stood_in);
  EXPECT_EQ(one.records(), 1U);
  EXPECT_EQ(one.threads.total(counter::returned), 1U) << "the spare's counts count, too";
}

TEST(RecordLease, IsAnotherRecordWhileTheSpareIsInUseAndHoldsUpNoEndAfterwards) {
  owner one;
  thread_record& spare = one.threads.borrow_spare();
  thread_record* lent = nullptr;
  std::thread([&] {
    lent = &one.threads.borrow_spare();
    EXPECT_EQ(lent->lent_to.load(base::relaxed), std::this_thread::get_id());
    one.threads.give_back(*lent);
  }).join();
  EXPECT_NE(lent, &spare);
  one.threads.give_back(spare);
  ASSERT_EQ(lent->lent_to.load(base::relaxed), std::thread::id{});
  one.threads.wait_for_calls();
}

}  // namespace
}  // namespace detent::detail
