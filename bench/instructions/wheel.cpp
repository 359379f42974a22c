// SPDX-License-Identifier: MIT
// Counts the hierarchical wheel, at the default tick of 1 ns, over nodes in a plain array.
#include "count.hpp"
#include "operations.hpp"

#include "wheel/hierarchical_wheel.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

namespace detent::instructions {
namespace {

using detail::nanoseconds_t;
using detail::node;
using detail::node_index;

constexpr nanoseconds_t microsecond = 1'000, second = 1'000'000'000;

struct node_array {
  node* nodes;
  node& operator[](node_index index) const noexcept { return nodes[index]; }
  detail::filing filing_of(node_index, const node& of) const noexcept { return {detail::deadline_of(of.pair), true}; }
  void prefetch(node_index index, const node&) const noexcept { base::prefetch_to_write(&nodes[index]); }
};

// A wheel, its nodes, and the random order in which they are inserted and taken out. The loops run a copy of their
// operation, which stays in registers because its address is never taken.
class wheel_timers {
 public:
  explicit wheel_timers(std::size_t size) : nodes_(std::make_unique<node[]>(size)), order_(size), deadlines_(size) {
    std::iota(order_.begin(), order_.end(), node_index{0});
    std::shuffle(order_.begin(), order_.end(), random_);
  }

  auto& wheel() { return wheel_; }

  // Spreads the timers [from, to) uniformly over a second from `start`, in steps of 1 us.
  void spread_at_random(node_index from, node_index to, nanoseconds_t start) {
    for (node_index index = from; index < to; ++index) {
      deadlines_[index] = start + static_cast<nanoseconds_t>(random_() % 1'000'000) * microsecond;
    }
  }
  // Spreads one timer over each tick of 1 us, beginning at 1 us.
  void spread_by_ticks(node_index from, node_index to) {
    for (node_index index = from; index < to; ++index) deadlines_[index] = (index - from + 1) * microsecond;
  }

  void insert_all() {
    for_each_to_insert(
        [this](node_index index, node& each, nanoseconds_t deadline) { wheel_.insert(index, each, deadline); });
  }
  // Calls operation(index, node, deadline) for each timer; the node holds its deadline.
  template <class Operation>
  void for_each_to_insert(const Operation& operation) {
    const Operation run = operation;
    node* const nodes = nodes_.get();
    const nanoseconds_t* const deadlines = deadlines_.data();
    for (const node_index *each = order_.data(), *end = each + order_.size(); each != end; ++each) {
      const node_index index = *each;
      node& added = nodes[index];
      const nanoseconds_t deadline = deadlines[index];
      // relaxed: there is one thread.
      added.pair.high.store(static_cast<std::uint64_t>(deadline), base::relaxed);
      run(index, added, deadline);
      end_turn();
    }
  }
  // Calls operation(node) for each timer.
  template <class Operation>
  void for_each(const Operation& operation) {
    const Operation run = operation;
    node* const nodes = nodes_.get();
    for (const node_index *each = order_.data(), *end = each + order_.size(); each != end; ++each) {
      run(nodes[*each]);
      end_turn();
    }
  }

 private:
  std::mt19937_64 random_{1};  // the same for every run, as the counts must be
  std::unique_ptr<node[]> nodes_;
  std::vector<node_index> order_;
  std::vector<nanoseconds_t> deadlines_;
  detail::hierarchical_wheel<node_array> wheel_{node_array{nodes_.get()}, detail::tick_grid(1), 0};
};

// Goes through `live` ticks of 1 us, beginning at the wheel's zero.
template <class Operation>
void for_each_tick(const Operation& operation) {
  const Operation run = operation;
  nanoseconds_t now = 0;
  for (std::uint32_t i = 0; i < live; ++i) {
    now += microsecond;
    run(now);
    end_turn();
  }
}

void count_insertion() {
  wheel_timers timers(live);
  timers.spread_at_random(0, live, 0);
  auto& wheel = timers.wheel();
  count("wheel_insert_loop", no_loop, live, [&] {
    timers.for_each_to_insert([](node_index index, node& each, nanoseconds_t deadline) {
      have(index);
      have(&each);
      have(deadline);
    });
  });
  count("wheel_insert", "wheel_insert_loop", live, [&] { timers.insert_all(); });
  require(wheel.check_invariants() && wheel.next_bound().has_value(), "wheel_insert", "the wheel is not in order");
  count("wheel_unlink_loop", no_loop, live, [&] { timers.for_each([](node& each) { have(&each); }); });
  count("wheel_unlink", "wheel_unlink_loop", live,
        [&] { timers.for_each([&wheel](node& each) { wheel.unlink(each); }); });
  require(wheel.check_invariants() && !wheel.next_bound(), "wheel_unlink", "the wheel is not empty");
}

// All timers lie in one slot of a high level, and each moves to a lower level when the slot's time begins.
void count_cascade() {
  wheel_timers timers(live);
  timers.spread_at_random(0, live, 100 * second);
  timers.insert_all();
  auto& wheel = timers.wheel();
  std::uint64_t reinserted = 0;
  count("wheel_cascade", no_loop, live, [&] {
    wheel.expire(100 * second - 1, [&reinserted](node_index, node&) {
      ++reinserted;
      return false;
    });
  });
  require(reinserted == live && wheel.check_invariants(), "wheel_cascade", "not each was re-inserted once");
}

void count_empty_ticks() {
  wheel_timers timers(live);
  timers.spread_at_random(0, live, 100 * second);
  timers.insert_all();
  auto& wheel = timers.wheel();
  std::uint64_t begun = 0;
  count("wheel_tick_loop", no_loop, live, [&] { for_each_tick([](nanoseconds_t now) { have(now); }); });
  count("wheel_empty_tick", "wheel_tick_loop", live, [&] {
    for_each_tick([&](nanoseconds_t now) {
      wheel.expire(now, [&begun](node_index, node&) {
        ++begun;
        return false;
      });
    });
  });
  require(begun == 0, "wheel_empty_tick", "a tick was not empty");
}

// At each tick, one timer is due that has come down through all levels; `live` others stay far ahead.
void count_expiry() {
  wheel_timers timers(2 * live);
  timers.spread_by_ticks(0, live);
  timers.spread_at_random(live, 2 * live, 100 * second);
  timers.insert_all();
  auto& wheel = timers.wheel();
  std::vector<node_index> expired(live);
  node_index* out = expired.data();
  count("wheel_expire_loop", no_loop, live, [&] {
    for_each_tick([&out](nanoseconds_t now) {
      have(now);
      *out++ = unknown<node_index>();
    });
  });
  out = expired.data();
  count("wheel_expire", "wheel_expire_loop", live, [&] {
    for_each_tick([&](nanoseconds_t now) {
      wheel.expire(now, [&out, now](node_index index, node& each) {
        if (detail::deadline_of(each.pair) > now) return false;
        *out++ = index;
        return true;
      });
    });
  });
  bool in_order = out == expired.data() + live && std::is_sorted(expired.begin(), expired.end());
  require(in_order && wheel.check_invariants(), "wheel_expire", "not one timer a tick");
}

}  // namespace

void count_wheel() {
  count_insertion();
  count_cascade();
  count_empty_ticks();
  count_expiry();
}

}  // namespace detent::instructions
