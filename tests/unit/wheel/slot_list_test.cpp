// SPDX-License-Identifier: MIT
#include "wheel/slot_list.hpp"

#include "support/node_store.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace detent::detail {
namespace {

TEST(SlotList, UnlinksFirstMiddleAndLast) {
  using list = slot_list<test::node_store::view>;
  for (node_index gone : {0U, 1U, 2U}) {
    test::node_store store(3);
    auto nodes = store.nodes();
    node_index head = no_node;
    for (node_index index : {0U, 1U, 2U}) list::push_front(nodes, head, index, nodes[index]);
    EXPECT_EQ(head, 2U);
    list::unlink(nodes, head, nodes[gone]);
    std::vector<node_index> left;
    node_index before = no_node;
    for (node_index index = head; index != no_node; index = nodes[index].next) {
      EXPECT_EQ(nodes[index].previous, before);
      left.push_back(before = index);
    }
    EXPECT_EQ(left, gone == 2   ? (std::vector<node_index>{1, 0})
                    : gone == 1 ? (std::vector<node_index>{2, 0})
                                : (std::vector<node_index>{2, 1}));
  }
}

}  // namespace
}  // namespace detent::detail
