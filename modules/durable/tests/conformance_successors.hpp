// SPDX-License-Identifier: MIT
// The part of the suite about timers that are kept beside one that may have begun to run.
#pragma once

#include "conformance_terms.hpp"

namespace durable_test {

// A timer "k" of id 1 at or below the level of a term, and one of id 2 beside it.
template <class Bed>
class StoreSuccessors : public StoreConformance<Bed> {
 protected:
  term_ref term;
  record ran;

  void SetUp() override {
    this->on().put(timer("k", 1, at(1)));
    term = this->take();
    ran = this->on().read(term, at(10)).due.at(0);
    EXPECT_EQ(this->on().put(next()), change_status::kept);
  }
  static record next(std::uint64_t id = 2, stored_time due = at(5)) {
    record its = timer("k", id, due);
    its.payload = bytes_of("of the next");
    its.handler = "next";
    its.schedule = "daily";
    its.by_rule = true;
    return its;
  }
  end_request move(stored_time due, std::uint32_t attempt) {
    end_request out = end_of(term, ran, end_kind::move);
    out.due = due;
    out.attempt = attempt;
    return out;
  }
  end_request unkeep(std::uint64_t id) {
    end_request out;
    out.term = term;
    out.key = "k";
    out.id = id;
    out.how = end_kind::unkeep;
    return out;
  }
  // Returns the timers that are there once the run of id `id`, which is due then, has ended.
  std::vector<listed_record> after_end(std::uint64_t id = 1, stored_time due = at(1)) {
    record its = timer("k", id, due);
    EXPECT_EQ(this->on().end(end_of(term, its)), change_status::ended);
    return this->on().list({.shard = 0});
  }
};
TYPED_TEST_SUITE_P(StoreSuccessors);

TYPED_TEST_P(StoreSuccessors, TakeItsPlaceWhenItHasEnded) {
  EXPECT_EQ(this->on().put(this->next(3)), change_status::kept) << "it has one";
  read_result read = this->on().read(this->term, at(10));
  ASSERT_EQ(read.announced_keys.size(), 1u);
  EXPECT_EQ(read.announced_keys[0].key, "k");
  EXPECT_EQ(read.announced_keys[0].kept, 2u);
  EXPECT_EQ(read.announced_keys[0].question, 0u);
  EXPECT_TRUE(read.announced_now.empty());
  EXPECT_EQ(this->on().list({.shard = 0}).size(), 1u);
  ASSERT_EQ(this->after_end().size(), 1u);
  read = this->on().read(this->term, at(10));
  ASSERT_EQ(read.announced_keys.size(), 1u);
  EXPECT_EQ(read.announced_keys[0].kept, 0u);
  ASSERT_EQ(read.announced_now.size(), 1u);
  const record& now = read.announced_now[0];
  EXPECT_EQ(now.id, 2u);
  EXPECT_EQ(now.due, at(5));
  EXPECT_EQ(now.handler, "next");
  EXPECT_EQ(now.schedule, "daily");
  EXPECT_EQ(now.payload, bytes_of("of the next"));
  EXPECT_TRUE(now.by_rule);
  EXPECT_TRUE(this->after_end(2, at(5)).empty());
}

TYPED_TEST_P(StoreSuccessors, AreOfTimersThatMayHaveBegunAlone) {
  this->on().put(timer("far", 10, at(20)));
  EXPECT_EQ(this->on().put(timer("far", 11, at(20))), change_status::kept);
  const read_result read = this->on().read(this->term, at(30));
  EXPECT_EQ(read.announced_keys.size(), 1u) << "of the other key";
  EXPECT_EQ(this->on().end(end_of(this->term, read.due.at(0))), change_status::ended);
  EXPECT_EQ(this->after_end().at(0).what.key, "k");
  EXPECT_EQ(this->on().list({.shard = 0}).size(), 1u);
}

TYPED_TEST_P(StoreSuccessors, TakeItsPlaceWhenItIsKilled) {
  EXPECT_EQ(this->on().end(end_of(this->term, this->ran, end_kind::kill)), change_status::ended);
  const auto now = this->on().list({.shard = 0});
  ASSERT_EQ(now.size(), 1u);
  EXPECT_EQ(now[0].what.id, 2u);
  EXPECT_TRUE(this->on().list({.shard = 0, .dead = true}).empty()) << "as if it were put then";
}

TYPED_TEST_P(StoreSuccessors, AreAnnouncedWithinTheLevelAndReadBeyondIt) {
  EXPECT_EQ(this->on().put(this->next(3, at(20)), put_mode::replace), change_status::replaced);
  EXPECT_EQ(this->on().put(timer("k", 4, at(1)), put_mode::move), change_status::moved);
  EXPECT_EQ(this->on().put(this->next(5, at(25))), change_status::kept);
  this->on().read(this->term, at(10));
  this->on().read(this->term, at(10));
  EXPECT_EQ(this->after_end(4).size(), 1u);
  EXPECT_TRUE(this->on().read(this->term, at(10)).announced_keys.empty());
  const auto due = this->on().read(this->term, at(30)).due;
  ASSERT_EQ(due.size(), 1u);
  EXPECT_EQ(due[0].id, 5u);
}

TYPED_TEST_P(StoreSuccessors, OutliveARetryAndNotANewRun) {
  EXPECT_EQ(this->on().end(this->move(at(20), 2)), change_status::ended);
  EXPECT_EQ(this->on().end(this->move(at(20), 2)), change_status::ended) << "sent again";
  EXPECT_EQ(this->on().put(this->next(3)), change_status::kept);
  EXPECT_EQ(this->after_end(1, at(20)).at(0).what.id, 2u);
  this->ran = this->on().read(this->term, at(30)).announced_now.at(0);
  EXPECT_EQ(this->on().put(this->next(4)), change_status::kept);
  EXPECT_EQ(this->on().end(this->move(at(5), 1)), change_status::ended) << "it stays at its time";
  EXPECT_EQ(this->on().end(this->move(at(21), 1)), change_status::ended);
  EXPECT_TRUE(this->after_end(2, at(21)).empty());
}

TYPED_TEST_P(StoreSuccessors, StayWhereATimerIsMovedToItsOwnTime) {
  EXPECT_EQ(this->on().end(this->move(at(1), 1)), change_status::ended);
  EXPECT_EQ(this->after_end().at(0).what.id, 2u);
}

TYPED_TEST_P(StoreSuccessors, GoWithATimerThatIsReplacedOrMoved) {
  EXPECT_EQ(this->on().put(timer("k", 3, at(2)), put_mode::replace), change_status::replaced);
  EXPECT_EQ(this->on().put(this->next(4)), change_status::kept);
  EXPECT_EQ(this->on().put(timer("k", 5, at(3)), put_mode::move), change_status::moved);
  EXPECT_TRUE(this->after_end(5, at(3)).empty());
}

TYPED_TEST_P(StoreSuccessors, StayWhereItIsNotPutOver) {
  EXPECT_EQ(this->on().put(timer("k", 3, at(2)), put_mode::fail), change_status::exists);
  EXPECT_EQ(this->on().put(timer("k", 1, at(1)), put_mode::replace), change_status::stored) << "sent again";
  EXPECT_EQ(this->on().put(timer("k", 3, at(2)), put_mode::revive), change_status::gone);
  EXPECT_EQ(this->on().end(end_of(this->term, this->ran, end_kind::leave)), change_status::ended);
  EXPECT_EQ(this->after_end().at(0).what.id, 2u);
}

TYPED_TEST_P(StoreSuccessors, GoWithATimerThatIsCancelled) {
  EXPECT_EQ(this->on().cancel(0, "k", 77), change_status::asked);
  EXPECT_TRUE(this->after_end().empty()) << "it went at once";
}

TYPED_TEST_P(StoreSuccessors, GoWithARetryThatIsCancelled) {
  EXPECT_EQ(this->on().end(this->move(at(20), 2)), change_status::ended);
  EXPECT_EQ(this->on().cancel(0, "k"), change_status::cancelled) << "what its owner has not read is of no run";
  EXPECT_TRUE(this->on().list({.shard = 0}).empty());
  EXPECT_EQ(this->on().put(timer("k", 1, at(1))), change_status::stored);
  EXPECT_TRUE(this->after_end().empty());
}

TYPED_TEST_P(StoreSuccessors, AreGivenUpByTheirId) {
  EXPECT_EQ(this->on().end(this->unkeep(3)), change_status::gone);
  EXPECT_EQ(this->on().end(this->unkeep(1)), change_status::gone) << "that is the timer";
  EXPECT_EQ(this->on().end(this->unkeep(2)), change_status::ended);
  EXPECT_EQ(this->on().end(this->unkeep(2)), change_status::gone);
  EXPECT_EQ(this->on().put(this->next(4)), change_status::kept);
  this->on().lapse(this->term);
  EXPECT_EQ(this->on().end(this->unkeep(4)), change_status::fenced);
  this->term = this->take();
  EXPECT_EQ(this->after_end().at(0).what.id, 4u);
}

TYPED_TEST_P(StoreSuccessors, AreOneWhenTheyAreSentAgain) {
  EXPECT_EQ(this->on().put(this->next()), change_status::kept);
  EXPECT_EQ(this->on().read(this->term, at(10)).announced_keys.size(), 1u);
  EXPECT_EQ(this->after_end().at(0).what.id, 2u);
  EXPECT_EQ(this->on().put(this->next()), change_status::stored) << "it is the timer now";
  EXPECT_EQ(this->on().end(end_of(this->term, this->ran)), change_status::gone) << "the end of the one before";
  EXPECT_TRUE(this->after_end(2, at(5)).empty());
}

TYPED_TEST_P(StoreSuccessors, OutliveTheirProcessAndAreOfALapsedTermToo) {
  this->on().lapse(this->term);
  EXPECT_EQ(this->on().end(end_of(this->term, this->ran)), change_status::fenced);
  this->on().put(timer("l", 10, at(1)));
  EXPECT_EQ(this->on().put(timer("l", 11, at(1))), change_status::kept) << "its first run may be under way";
  this->bed.crash();
  this->term = this->take();
  const read_result read = this->on().read(this->term, at(10));
  EXPECT_EQ(keys_of(read.due), (keys{"k", "l"}));
  EXPECT_TRUE(read.announced_keys.empty());
  for (const record& its : read.due) EXPECT_EQ(this->on().end(end_of(this->term, its)), change_status::ended);
  EXPECT_EQ(keys_of(this->on().read(this->term, at(10)).announced_now), (keys{"k", "l"}));
}

REGISTER_TYPED_TEST_SUITE_P(StoreSuccessors, TakeItsPlaceWhenItHasEnded, AreOfTimersThatMayHaveBegunAlone,
                            TakeItsPlaceWhenItIsKilled, AreAnnouncedWithinTheLevelAndReadBeyondIt,
                            OutliveARetryAndNotANewRun, StayWhereATimerIsMovedToItsOwnTime,
                            GoWithATimerThatIsReplacedOrMoved, StayWhereItIsNotPutOver, GoWithATimerThatIsCancelled,
                            GoWithARetryThatIsCancelled, AreGivenUpByTheirId, AreOneWhenTheyAreSentAgain,
                            OutliveTheirProcessAndAreOfALapsedTermToo);

}  // namespace durable_test
