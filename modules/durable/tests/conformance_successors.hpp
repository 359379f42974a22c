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

TYPED_TEST_P(StoreSuccessors, GoWithATimerThatIsCancelled) {
  EXPECT_EQ(this->on().cancel(0, "k", 77), change_status::asked);
  EXPECT_TRUE(this->after_end().empty()) << "it went at once";
}

REGISTER_TYPED_TEST_SUITE_P(StoreSuccessors, TakeItsPlaceWhenItHasEnded, OutliveARetryAndNotANewRun,
                            GoWithATimerThatIsCancelled);

}  // namespace durable_test
