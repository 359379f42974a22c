// SPDX-License-Identifier: MIT
// The suite itself: each promise of the contract by name, and random histories against the model.
#pragma once

#include "conformance_changes.hpp"
#include "conformance_instants.hpp"
#include "conformance_lookups.hpp"
#include "conformance_successors.hpp"
#include "histories.hpp"

namespace durable_test {

TYPED_TEST_P(StoreConformance, BytesComeBackAsTheyWere) {
  // A bed says so if its store's names are text.
  constexpr bool any_bytes = !requires { TypeParam::keys_are_text; };
  const std::string odd = any_bytes ? std::string("\0k\xff\n", 4) : std::string("k\xc3\xa4\n'\\", 6);
  record its = timer(odd, ~std::uint64_t{0} >> 1, stored_time(std::chrono::microseconds(1'234'567'890'123'457)));
  its.payload.assign(payload_limit, std::byte{0xa5});
  its.payload[1] = std::byte{0};
  its.handler = any_bytes ? std::string("h\0\r", 3) : std::string("h'\r");
  its.schedule.assign(schedule_limit, 'd');
  its.by_rule = true;
  its.attempt = 7;
  this->on().put(its);
  record bare = timer("bare", 7, at(0));
  bare.payload.clear();
  this->on().put(bare);
  const term_ref term = this->take();
  const auto read = this->on().read(term, stored_time::max()).due;
  expect_same({bare, its}, read);
}

TYPED_TEST_P(StoreConformance, CancelIsExactBeyondTheReadLevel) {
  this->on().put(timer("near", 1, at(1)));
  this->on().put(timer("far", 2, at(20)));
  EXPECT_EQ(this->on().cancel(0, "none"), change_status::gone);
  const term_ref term = this->take();
  const record near = this->on().read(term, at(10)).due.at(0);
  EXPECT_EQ(this->on().cancel(0, "far"), change_status::cancelled);
  EXPECT_EQ(this->on().cancel(0, "far"), change_status::gone);
  EXPECT_EQ(this->on().cancel(0, "near", 77), change_status::asked);
  EXPECT_EQ(this->on().read_answer(0, 77), answer::none);
  const read_result read = this->on().read(term, at(30));
  ASSERT_EQ(read.announced_keys.size(), 1u);
  EXPECT_EQ(read.announced_keys[0].question, 77u);
  EXPECT_TRUE(read.announced_now.empty());
  EXPECT_TRUE(read.due.empty());
  end_request reply = end_of(term, near);
  reply.question = 77;
  reply.reply = answer::cancelled;
  EXPECT_EQ(this->on().end(reply), change_status::ended);
  EXPECT_EQ(this->on().read_answer(0, 77), answer::cancelled);
  EXPECT_EQ(this->on().read_answer(0, 77), answer::cancelled) << "reading does not erase it";
  EXPECT_TRUE(this->on().list({.shard = 0}).empty());
}

TYPED_TEST_P(StoreConformance, KnowsWhoIsThereAndWhatItHas) {
  roll_call roll;
  EXPECT_EQ(this->bed.get().call_roll("a", milliseconds(60'000), roll), errc{});
  EXPECT_EQ(this->bed.get().call_roll("b", milliseconds(1), roll), errc{});
  EXPECT_EQ(roll.nodes.size(), 2u);
  std::this_thread::sleep_for(milliseconds(5));
  EXPECT_EQ(this->bed.get().call_roll("a", milliseconds(60'000), roll), errc{});
  EXPECT_EQ(roll.nodes, keys{"a"});
  const term_ref term = this->take(1);
  this->on().read(term, at(4));
  this->on().put(timer("k", 1, at(1), 2));
  std::vector<shard_state> states(this->bed.get().shards());
  ASSERT_EQ(states.size(), bed_shards);
  EXPECT_EQ(this->bed.get().look(states), errc{});
  EXPECT_EQ(states[1].node, "a");
  EXPECT_EQ(states[1].fence, term.fence);
  EXPECT_EQ(states[1].upto, at(4));
  EXPECT_EQ(states[2].timers, 1u);
  EXPECT_TRUE(states[2].node.empty());
}

TYPED_TEST_P(StoreConformance, AReadingSaysWhetherMoreWasAnnounced) {
  constexpr std::size_t timers = 5'500;
  const term_ref term = this->take();
  this->on().read(term, at(10));
  std::vector<change> batch;
  for (std::size_t i = 1; i <= timers; ++i) batch.push_back(put_request{timer("k" + std::to_string(i), i, at(5))});
  for (const change_status status : this->on().apply(batch)) ASSERT_EQ(status, change_status::stored);
  std::vector<std::string> keys;
  bool has_all = false;
  for (int readings = 1; !has_all; ++readings) {
    ASSERT_LT(readings, 10);
    const read_result its = this->on().read(term, at(10));
    has_all = its.has_all_announced;
    EXPECT_EQ(its.announced_now.size(), its.announced_keys.size());
    for (const announced& one : its.announced_keys) keys.push_back(one.key);
  }
  EXPECT_EQ(keys.size(), timers);
  EXPECT_EQ(std::set<std::string>(keys.begin(), keys.end()).size(), timers);
}

TYPED_TEST_P(StoreConformance, RandomHistoriesAreTheModels) {
  const std::uint64_t seed = seed_of_run();
  SCOPED_TRACE("seed " + std::to_string(seed));
  for (std::uint64_t round = 0; round < 10 && !this->HasFailure(); ++round) {
    history<TypeParam> both(seed + round);
    both.run(400);
  }
}

REGISTER_TYPED_TEST_SUITE_P(
    StoreConformance, AShardHasOneTermAtATimeAndEachHasAGreaterFence, AFenceGrowsOverACrash,
    ATermThatAnotherNodeHadBeforeIsNamed, ANewTermReadsAgainWhatWasNotEnded, AnEndUnderAForeignTermIsRefused,
    WhatWasErasedIsNotReadAsATimerOfAnotherShard, ReadLevelsNeverGoBack, WhatChangesBelowTheReadLevelIsAnnouncedOnce,
    ListenersAreWokenWhenSomethingIsAnnounced, ALimitIsExactWithinAnInstantToo, ALimitOfBytesCutsBehindTheFirst,
    ManyLargePayloadsComeInPiecesOfSoManyBytes, WhatChangesWithinAnInstantThatIsReadInPartComesOnce,
    AnOwnerHearsOfWhatItMovesWithinSuchAnInstantAlone, PutsKeepReplaceFailAndMove, ABatchIsCarriedOutInItsOrder,
    AnEndIsOfTheRunAndOfNothingNewer, FindsAKeyInWhateverPartitionItIs, ListsTheDeadByTheTimeOfTheirDeaths,
    PurgesDeadOnesThatAListWouldFind, ALookAtManyTakesPieces, AViewApartIsOfTheSameTimersWhileTheStoreChangesThem,
    BytesComeBackAsTheyWere, CancelIsExactBeyondTheReadLevel, KnowsWhoIsThereAndWhatItHas,
    AReadingSaysWhetherMoreWasAnnounced, RandomHistoriesAreTheModels);

}  // namespace durable_test
