// SPDX-License-Identifier: MIT
// The terms in which a node is careful with timers that may have ended the process before it.
#include "../src/node/tenures.hpp"

#include "../src/node/held_term.hpp"

#include "conformance.hpp"
#include "nodes.hpp"

#include <gtest/gtest.h>

namespace durable_test {
namespace {

using detent::durable::detail::clocks;
using detent::durable::detail::tenures;

class Tenures : public testing::Test {
 protected:
  Tenures() {
    detent::durable::detail::roll with;
    with.nodes = {"node"};
    on.share_out(with);
  }

  void take() {
    bool took = false;
    EXPECT_TRUE(soon([&] { return on.take([&](shard_id) { took = true; }) == errc{} && took; }));
  }
  stored_time careful_upto() { return on.of(0).term->careful_upto(); }

  memory data{1};
  const std::shared_ptr<store> connection = data.connect();
  const options how{.lease = 50ms};
  const clocks by;
  tenures on{*connection, "node", how, by};
};

TEST_F(Tenures, AreCarefulOfWhatWasDueWhenTheirNodeHadGone) {
  asker{*connection}.take(0, "gone", 1ms);
  const stored_time before = by.wall_now();
  take();
  EXPECT_GE(careful_upto(), before);
}

TEST_F(Tenures, AreNotWhereTheirOwnNodeHadThem) {
  take();
  on.lose(0);
  take();
  EXPECT_EQ(careful_upto(), stored_time::min());
}

// The other node may have died of one of the timers.
TEST_F(Tenures, AreCarefulWhereAnotherNodeCameAndWentUnseen) {
  take();
  on.lose(0);
  ASSERT_TRUE(soon([&] { return asker{*connection}.take(0, "other", 1ms).status == take_status::taken; }));
  const stored_time before = by.wall_now();
  take();
  EXPECT_GE(careful_upto(), before);
}

// It may have lost the term before it has tried what was careful.
TEST_F(Tenures, StayAsCarefulWhenTheyAreLostAndTakenAgain) {
  asker{*connection}.take(0, "gone", 1ms);
  take();
  const stored_time upto = careful_upto();
  for (int i = 0; i < 2; ++i) {
    on.lose(0);
    take();
    EXPECT_EQ(careful_upto(), upto);
  }
}

}  // namespace
}  // namespace durable_test
