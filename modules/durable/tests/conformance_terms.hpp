// SPDX-License-Identifier: MIT
// The part of the suite about terms and reading; conformance_suite.hpp has the rest, and registers all.
#pragma once

#include "conformance.hpp"

#include <array>
#include <atomic>

namespace durable_test {

template <class Bed>
class StoreConformance : public testing::Test {
 protected:
  Bed bed;
  asker on() { return {bed.get()}; }
  term_ref take(shard_id shard = 0) { return {shard, on().take(shard).fence}; }
};
TYPED_TEST_SUITE_P(StoreConformance);

TYPED_TEST_P(StoreConformance, AShardHasOneTermAtATimeAndEachHasAGreaterFence) {
  const take_result first = this->on().take(0);
  ASSERT_EQ(first.status, take_status::taken);
  EXPECT_GT(first.fence, 1'600'000'000'000'000u) << "the store's time, so that a failover gives no fence out again";
  const take_result again = this->on().take(0, "a");
  EXPECT_EQ(again.status, take_status::held) << "also for the node that has it";
  EXPECT_GT(again.left.count(), 0);
  this->on().give_back({0, first.fence});
  const take_result second = this->on().take(0, "a");
  ASSERT_EQ(second.status, take_status::taken);
  EXPECT_GT(second.fence, first.fence);
  this->on().lapse({0, second.fence});
  const take_result third = this->on().take(0, "b");
  ASSERT_EQ(third.status, take_status::taken);
  EXPECT_GT(third.fence, second.fence);
  this->on().give_back({0, second.fence});
  EXPECT_EQ(this->on().take(0, "c").status, take_status::held) << "an old term gives back nothing";
}

TYPED_TEST_P(StoreConformance, AFenceGrowsOverACrash) {
  const term_ref term = this->take();
  this->bed.crash();
  if (this->bed.terms_survive_crash) this->on().lapse(term);
  EXPECT_GT(this->on().take(0).fence, term.fence);
}

TYPED_TEST_P(StoreConformance, ATermThatAnotherNodeHadBeforeIsNamed) {
  const take_result first = this->on().take(0);
  EXPECT_EQ(first.former, 0u) << "there was none before";
  this->on().lapse({0, first.fence});
  const take_result own = this->on().take(0);
  EXPECT_LE(own.former, first.fence);
  this->on().lapse({0, own.fence});
  EXPECT_EQ(this->on().take(0, "b").former, own.fence);
}

TYPED_TEST_P(StoreConformance, ANewTermReadsAgainWhatWasNotEnded) {
  const term_ref first = this->take();
  this->on().put(timer("ended", 1, at(1)));
  this->on().put(timer("not", 2, at(2)));
  read_result read = this->on().read(first, at(10));
  EXPECT_EQ(keys_of(read.due), (keys{"ended", "not"}));
  EXPECT_EQ(this->on().end(end_of(first, read.due[0])), change_status::ended);
  this->on().lapse(first);
  const term_ref second = this->take();
  read = this->on().read(second, at(10));
  EXPECT_EQ(keys_of(read.due), keys{"not"});
}

TYPED_TEST_P(StoreConformance, AnEndUnderAForeignTermIsRefused) {
  const term_ref first = this->take();
  this->on().put(timer("k", 1, at(1)));
  const record ran = this->on().read(first, at(10)).due.at(0);
  this->on().lapse(first);
  EXPECT_EQ(this->on().end(end_of(first, ran)), change_status::fenced) << "over, though no node has taken it";
  const term_ref second = this->take();
  for (const end_kind how : {end_kind::erase, end_kind::move, end_kind::kill})
    EXPECT_EQ(this->on().end(end_of(first, ran, how)), change_status::fenced);
  EXPECT_FALSE(this->on().read(first, at(10)).stands);
  EXPECT_EQ(keys_of(this->on().read(second, at(10)).due), keys{"k"});
}

TYPED_TEST_P(StoreConformance, WhatWasErasedIsNotReadAsATimerOfAnotherShard) {
  const term_ref term = this->take(0);
  this->on().read(term, at(1));
  this->on().put(timer("k", 1, at(5), 0));
  EXPECT_EQ(this->on().cancel(0, "k"), change_status::cancelled);
  this->on().put(timer("other", 2, at(5), 1));
  EXPECT_EQ(keys_of(this->on().read(term, at(10)).due), keys{});
}

TYPED_TEST_P(StoreConformance, ReadLevelsNeverGoBack) {
  const term_ref term = this->take();
  EXPECT_EQ(this->on().read(term, at(10)).upto, at(10));
  EXPECT_EQ(this->on().read(term, at(5)).upto, at(10));
  this->on().put(timer("k", 1, at(7)));
  EXPECT_EQ(this->on().read(term, at(6)).announced_keys.size(), 1u);
}

TYPED_TEST_P(StoreConformance, WhatChangesBelowTheReadLevelIsAnnouncedOnce) {
  this->on().put(timer("old", 1, at(1)));
  const term_ref term = this->take();
  this->on().read(term, at(10));
  this->on().put(timer("near", 2, at(10)));
  this->on().put(timer("far", 3, at(11)));
  EXPECT_EQ(this->on().put(timer("old", 4, at(20)), put_mode::replace), change_status::replaced);
  EXPECT_EQ(this->on().put(timer("far", 5, at(3)), put_mode::move), change_status::moved);
  read_result read = this->on().read(term, at(10));
  ASSERT_EQ(read.announced_keys.size(), 3u);
  EXPECT_EQ(read.announced_keys[0].key, "near");
  EXPECT_EQ(read.announced_keys[1].key, "old");
  EXPECT_EQ(read.announced_keys[2].key, "far");
  EXPECT_EQ(keys_of(read.announced_now), (keys{"near", "far"})) << "the old one is beyond it now";
  EXPECT_EQ(read.announced_now[1].id, 5u);
  EXPECT_EQ(read.announced_now[1].due, at(3));
  EXPECT_TRUE(read.due.empty());
  read = this->on().read(term, at(10));
  EXPECT_TRUE(read.announced_keys.empty());
}

TYPED_TEST_P(StoreConformance, ListenersAreWokenWhenSomethingIsAnnounced) {
  std::array<std::atomic<int>, bed_shards> woken{};
  this->bed.get().listen([&](shard_id shard) { ++woken.at(shard); });
  std::vector<change> near;
  for (const shard_id shard : {shard_id{1}, shard_id{2}}) {
    this->on().read(this->take(shard), at(10));
    near.push_back(put_request{timer("near", shard, at(10), shard), put_mode::keep});
  }
  this->on().apply(near);
  const auto all = [&] { return woken[1] != 0 && woken[2] != 0; };
  for (int i = 0; i < 60'000 && !all(); ++i) std::this_thread::sleep_for(milliseconds(1));
  EXPECT_TRUE(all()) << "each owner of a batch";
  this->bed.get().listen(nullptr);
}

}  // namespace durable_test
