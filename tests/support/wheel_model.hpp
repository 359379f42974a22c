// SPDX-License-Identifier: MIT
// A wheel beside a multimap that does the same: each step is done to both, and what they report must agree.
#pragma once

#include <gtest/gtest.h>

#include "timer/tick_grid.hpp"

#include "support/node_store.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace detent::test {

template <class Kind>
class wheel_model {
 public:
  using wheel_type = typename Kind::wheel_type;
  using node_index = detail::node_index;
  using nanoseconds_t = detail::nanoseconds_t;

  wheel_model(nanoseconds_t tick, nanoseconds_t start, std::size_t most = 256)
      : grid_(tick), store_(most), wheel_(Kind::make(store_.nodes(), grid_, start)), now_(start) {}

  nanoseconds_t now() const { return now_; }
  std::size_t size() const { return filed_.size(); }
  bool full() const { return store_.full(); }
  std::size_t takes() const { return takes_; }
  wheel_type& wheel() { return wheel_; }
  nanoseconds_t deadline(node_index index) const { return store_.deadline(index); }
  std::optional<nanoseconds_t> earliest() const {
    return due_.empty() ? std::nullopt : std::optional<nanoseconds_t>(due_.begin()->first);
  }
  // The inserted node of a rank.
  node_index filed(std::size_t rank) const { return *std::next(filed_.begin(), static_cast<std::ptrdiff_t>(rank)); }

  node_index insert(nanoseconds_t deadline) {
    nanoseconds_t rounded = grid_.round_up(deadline);
    node_index index = store_.take(rounded);
    wheel_.insert(index, store_[index], rounded);
    filed_.insert(index);
    due_.emplace(rounded, index);
    return index;
  }
  void unlink(node_index index) {
    wheel_.unlink(store_[index]);
    EXPECT_EQ(store_[index].location, detail::nowhere);
    forget(index);
  }
  // To a later deadline only: the wheel finds out by itself.
  void restart_later(node_index index, nanoseconds_t deadline) {
    move(index, std::max(grid_.round_up(deadline), store_.deadline(index)));
  }
  // To any deadline; inserted again, as the driver does when it accepts the entry.
  void restart_and_refile(node_index index, nanoseconds_t deadline) {
    move(index, grid_.round_up(deadline));
    wheel_.unlink(store_[index]);
    wheel_.insert(index, store_[index], store_.deadline(index));
  }

  // Time only moves on; everything due is taken, nothing else.
  void advance_to(nanoseconds_t now) {
    now_ = std::max(now_, now);
    std::vector<node_index> taken;
    wheel_.expire(now_, [&](node_index index, detail::node& each) {
      ++takes_;
      EXPECT_EQ(&each, &store_[index]);
      EXPECT_EQ(each.location, detail::nowhere);
      if (store_.deadline(index) > now_) return false;
      taken.push_back(index);
      return true;
    });
    std::vector<node_index> due;
    for (auto& [deadline, index] : due_) {
      if (deadline > now_) break;
      due.push_back(index);
    }
    std::sort(due.begin(), due.end());
    std::sort(taken.begin(), taken.end());
    EXPECT_EQ(taken, due) << "at " << now_;
    for (node_index index : due) forget(index);
  }
  void advance(nanoseconds_t step) { advance_to(detail::add_saturated(now_, step)); }

  // What the wheel reports of itself.
  void verify() {
    ASSERT_TRUE(wheel_.check_invariants());
    std::optional<nanoseconds_t> bound = wheel_.next_bound();
    ASSERT_EQ(bound.has_value(), earliest().has_value());
    // What is past is due now.
    if (bound.has_value()) {
      ASSERT_LE(*bound, std::max(*earliest(), now_));
    }
  }
  void verify_next_exact() {
    std::optional<nanoseconds_t> next = wheel_.next_exact([](node_index, detail::node&) { return false; });
    ASSERT_EQ(next, earliest());
    ASSERT_TRUE(wheel_.check_invariants());
  }

 private:
  void move(node_index index, nanoseconds_t deadline) {
    erase_due(index);
    store_.set_deadline(index, deadline);
    due_.emplace(deadline, index);
  }
  void forget(node_index index) {
    erase_due(index);
    filed_.erase(index);
    store_.give_back(index);
  }
  void erase_due(node_index index) {
    auto [first, last] = due_.equal_range(store_.deadline(index));
    due_.erase(std::find_if(first, last, [index](auto& each) { return each.second == index; }));
  }

  detail::tick_grid grid_;
  node_store store_;
  wheel_type wheel_;
  nanoseconds_t now_;
  std::set<node_index> filed_;
  std::multimap<nanoseconds_t, node_index> due_;
  std::size_t takes_ = 0;
};

}  // namespace detent::test
