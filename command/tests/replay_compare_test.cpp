// SPDX-License-Identifier: MIT
// Replays compared: wheels that differ in anything that a virtual replay reports are named with their results.
#include "cli/replay_compare.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>
#include <string>

namespace detent::tool {
namespace {

std::string complaint(const virtual_outcome& hierarchical, const virtual_outcome& hashed) {
  try {
    require_same_results("load.csv", hierarchical, hashed);
  } catch (const std::runtime_error& trouble) {
    return trouble.what();
  }
  return "";
}

TEST(ReplayCompare, EachDifferenceIsReported) {
  const std::function<void(virtual_outcome&)> changes[] = {[](virtual_outcome& of) { ++of.order_signature; },
                                                           [](virtual_outcome& of) { ++of.counts.fired; },
                                                           [](virtual_outcome& of) { ++of.counts.scheduled; },
                                                           [](virtual_outcome& of) { ++of.counts.restarted; },
                                                           [](virtual_outcome& of) { ++of.counts.cancelled; },
                                                           [](virtual_outcome& of) { ++of.counts.late_cancels; },
                                                           [](virtual_outcome& of) { ++of.counts.pending_at_last_row; }};
  for (const auto& change : changes) {
    virtual_outcome same, changed;
    change(changed);
    EXPECT_NE(complaint(same, changed), "");
    EXPECT_NE(complaint(changed, same), "");
  }
}

TEST(ReplayCompare, ADifferenceIsOneLineThatNamesBoth) {
  virtual_outcome hierarchical, hashed;
  hierarchical.order_signature = 1;
  hashed.order_signature = 2;
  const std::string said = complaint(hierarchical, hashed);
  EXPECT_EQ(said.find('\n'), std::string::npos);
  EXPECT_EQ(said.find("load.csv: the wheels differ in virtual time: hierarchical scheduled=0 "), 0u) << said;
  EXPECT_LT(said.find("order_signature=0000000000000001"), said.find(", hashed scheduled=0 "));
  EXPECT_LT(said.find(", hashed scheduled=0 "), said.find("order_signature=0000000000000002"));
}

}  // namespace
}  // namespace detent::tool
