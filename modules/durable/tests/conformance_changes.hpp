// SPDX-License-Identifier: MIT
// The part of the suite about puts, ends and batches of both.
#pragma once

#include "conformance_terms.hpp"

namespace durable_test {

TYPED_TEST_P(StoreConformance, PutsKeepReplaceFailAndMove) {
  EXPECT_EQ(this->on().put(timer("k", 1, at(1))), change_status::stored);
  EXPECT_EQ(this->on().put(timer("k", 1, at(1)), put_mode::fail), change_status::stored) << "sent again";
  EXPECT_EQ(this->on().put(timer("k", 2, at(2))), change_status::kept);
  EXPECT_EQ(this->on().put(timer("k", 2, at(2)), put_mode::fail), change_status::exists);
  EXPECT_EQ(this->on().put(timer("k", 3, at(3), 1), put_mode::move), change_status::gone) << "of another shard";
  EXPECT_EQ(this->on().list({.shard = 0}).at(0).what.id, 1u);
  record other = timer("k", 4, at(4));
  other.payload = bytes_of("other");
  EXPECT_EQ(this->on().put(other, put_mode::replace), change_status::replaced);
  EXPECT_EQ(this->on().put(timer("k", 5, at(5)), put_mode::move), change_status::moved);
  EXPECT_EQ(this->on().put(timer("k", 5, at(5)), put_mode::move), change_status::moved) << "sent again";
  const auto now = this->on().list({.shard = 0});
  ASSERT_EQ(now.size(), 1u);
  EXPECT_EQ(now[0].what.due, at(5));
  EXPECT_EQ(now[0].what.id, 5u);
  EXPECT_EQ(now[0].what.payload, bytes_of("other"));
}

TYPED_TEST_P(StoreConformance, ABatchIsCarriedOutInItsOrder) {
  this->on().put(timer("ran", 1, at(1)));
  this->on().put(timer("far", 2, at(20)));
  const term_ref term = this->take();
  const record ran = this->on().read(term, at(10)).due.at(0);
  end_request kill = end_of(term, ran, end_kind::kill);
  kill.why = "why";
  const std::vector<change> batch = {
      put_request{timer("k", 3, at(30))},
      cancel_request{0, "k", 71},
      put_request{timer("k", 4, at(31), 1)},  // of another shard
      put_request{timer("k", 5, at(32))},
      put_request{timer("k", 6, at(33)), put_mode::move},
      kill,
      put_request{timer("ran", 7, at(34)), put_mode::revive},
      put_request{timer("ran", 8, at(35)), put_mode::fail},
      cancel_request{0, "far", 72},
      put_request{timer("far", 9, at(2))},
      put_request{timer("far", 10, at(40)), put_mode::replace},
      cancel_request{0, "far", 73},
  };
  using enum change_status;
  EXPECT_EQ(this->on().apply(batch), (std::vector{stored, cancelled, stored, stored, moved, ended, stored, exists,
                                                  cancelled, stored, replaced, withdrawn}))
      << "the last one as its owner has yet to read that it was below the level";
  const auto now = this->on().list({.shard = 0});
  ASSERT_EQ(now.size(), 2u);
  EXPECT_EQ(now[0].what.id, 6u);
  EXPECT_EQ(now[1].what.id, 7u);
  EXPECT_EQ(this->on().list({.shard = 1}).size(), 1u);
  const auto announced_keys = this->on().read(term, at(10)).announced_keys;
  ASSERT_EQ(announced_keys.size(), 3u);
  EXPECT_EQ(announced_keys[2].question, 73u);
  EXPECT_EQ(this->on().apply({}), std::vector<change_status>{});
}

TYPED_TEST_P(StoreConformance, AnEndIsOfTheRunAndOfNothingNewer) {
  const term_ref term = this->take();
  this->on().put(timer("k", 1, at(1)));
  const record ran = this->on().read(term, at(10)).due.at(0);
  this->on().put(timer("k", 2, at(5)), put_mode::replace);
  EXPECT_EQ(this->on().end(end_of(term, ran)), change_status::gone);
  const record now = this->on().read(term, at(10)).announced_now.at(0);
  end_request retry = end_of(term, now, end_kind::move);
  retry.due = at(6);
  retry.attempt = 2;
  EXPECT_EQ(this->on().end(retry), change_status::ended);
  EXPECT_EQ(this->on().end(retry), change_status::ended)
      << "sent again: else its owner would not know that it is there";
  EXPECT_EQ(this->on().end(end_of(term, now)), change_status::gone) << "the run that was moved";
  const auto left = this->on().list({.shard = 0});
  ASSERT_EQ(left.size(), 1u);
  EXPECT_EQ(left[0].what.due, at(6));
  EXPECT_EQ(left[0].what.attempt, 2u);
  EXPECT_TRUE(this->on().read(term, at(10)).announced_keys.empty()) << "the owner knows what it has moved";
}

}  // namespace durable_test
