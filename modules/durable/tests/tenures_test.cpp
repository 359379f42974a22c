// SPDX-License-Identifier: MIT
// The terms in which a node is careful with timers that may have ended the process before it.
#include "../src/node/tenures.hpp"

#include "../src/node/held_term.hpp"

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
  const take_request wanted{0, 1ms};
  take_result taken;
  ASSERT_EQ(connection->take("gone", {&wanted, 1}, {&taken, 1}), errc{});
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
  const take_request wanted{0, 1ms};
  take_result taken;
  ASSERT_TRUE(soon([&] {
    return connection->take("other", {&wanted, 1}, {&taken, 1}) == errc{} && taken.status == take_status::taken;
  }));
  const stored_time before = by.wall_now();
  take();
  EXPECT_GE(careful_upto(), before);
}

// It may have lost the term before it has tried what was careful.
TEST_F(Tenures, StayAsCarefulWhenTheyAreLostAndTakenAgain) {
  const take_request wanted{0, 1ms};
  take_result taken;
  ASSERT_EQ(connection->take("gone", {&wanted, 1}, {&taken, 1}), errc{});
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
