// SPDX-License-Identifier: MIT
// A wheel beside the specification of an engine that has nothing but it: each step is done to both, and what they
// report must agree.
#pragma once

#include <gtest/gtest.h>

#include "timer/tick_grid.hpp"

#include "spec/engine.hpp"
#include "support/node_store.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace detent::test {

template <class Kind>
class specified_wheel {
 public:
  using wheel_type = typename Kind::wheel_type;
  using node_index = detail::node_index;
  using nanoseconds_t = detail::nanoseconds_t;

  specified_wheel(nanoseconds_t tick, nanoseconds_t start, std::size_t most = 256)
      : store_(most),
        wheel_(Kind::make(store_.nodes(), detail::tick_grid(tick), start)),
        spec_({.tick = tick, .start = start}) {}

  nanoseconds_t now() const { return spec_.now(); }
  std::size_t size() const { return filed_.size(); }
  bool full() const { return store_.full(); }
  std::size_t takes() const { return takes_; }
  wheel_type& wheel() { return wheel_; }
  nanoseconds_t deadline(node_index index) const { return store_.deadline(index); }
  std::optional<nanoseconds_t> earliest() const { return spec_.next_deadline(); }
  // Returns the inserted node of a rank.
  node_index filed(std::size_t rank) const {
    return std::next(filed_.begin(), static_cast<std::ptrdiff_t>(rank))->first;
  }

  node_index insert(nanoseconds_t deadline) {
    const spec::timer_id id = spec_.schedule({.when = deadline}, 0).id;
    const nanoseconds_t rounded = *spec_.deadline(id);
    const node_index index = store_.take(rounded);
    wheel_.insert(index, store_[index], rounded);
    filed_[index] = id;
    return index;
  }
  void unlink(node_index index) {
    wheel_.unlink(store_[index]);
    EXPECT_EQ(store_[index].location, detail::nowhere);
    spec_.cancel(filed_.at(index));
    forget(index);
  }
  // Only to a later deadline; the wheel finds out by itself.
  void restart_later(node_index index, nanoseconds_t deadline) {
    restart(index, std::max(deadline, store_.deadline(index)));
  }
  // To any deadline. The node is inserted again, as the driver does when it accepts the entry.
  void restart_and_refile(node_index index, nanoseconds_t deadline) {
    restart(index, deadline);
    wheel_.unlink(store_[index]);
    wheel_.insert(index, store_[index], store_.deadline(index));
  }

  // Time only moves forwards. Everything that is due must be taken, and nothing else.
  void advance_to(nanoseconds_t now);
  void advance(nanoseconds_t step) { advance_to(detail::add_saturated(now(), step)); }

  // Checks what the wheel reports about itself.
  void verify() {
    ASSERT_TRUE(wheel_.check_invariants());
    spec_.answered_next_deadline(wheel_.next_bound());
    ASSERT_EQ(spec_.broke.broken(), "");
  }
  void verify_next_exact() {
    std::optional<nanoseconds_t> next = wheel_.next_exact([](node_index, detail::node&) { return false; });
    ASSERT_EQ(next, earliest());
    ASSERT_TRUE(wheel_.check_invariants());
  }

 private:
  void restart(node_index index, nanoseconds_t deadline) {
    const spec::timer_id id = filed_.at(index);
    spec_.restart(id, deadline, 0);
    store_.set_deadline(index, *spec_.deadline(id));
  }
  void forget(node_index index) {
    filed_.erase(index);
    store_.give_back(index);
  }

  node_store store_;
  wheel_type wheel_;
  spec::engine spec_;
  std::map<node_index, spec::timer_id> filed_;
  std::size_t takes_ = 0;
};

template <class Kind>
void specified_wheel<Kind>::advance_to(nanoseconds_t now) {
  spec_.move_to(now);
  // A wheel does not order the timers that are due: its driver sorts them.
  std::vector<std::tuple<nanoseconds_t, std::uint64_t, node_index>> taken;
  wheel_.expire(spec_.now(), [&](node_index index, detail::node& each) {
    ++takes_;
    EXPECT_EQ(&each, &store_[index]);
    EXPECT_EQ(each.location, detail::nowhere);
    if (store_.deadline(index) > spec_.now()) return false;
    taken.emplace_back(store_.deadline(index), std::as_const(spec_).at(filed_.at(index)).order, index);
    return true;
  });
  std::sort(taken.begin(), taken.end());
  spec_.begin_pass({.how = spec::drive::poll, .now = spec_.now()});
  for (const auto& [deadline, order, index] : taken) {
    const spec::timer_id id = filed_.at(index);
    spec_.begin_run(id, 0, {.deadline = deadline, .lateness = spec::minus(spec_.now(), deadline)});
    spec_.end_run(id, 0, false);
    forget(index);
  }
  spec_.end_pass(taken.size());
  EXPECT_EQ(spec_.broke.broken(), "") << "at " << spec_.now();
}

}  // namespace detent::test
