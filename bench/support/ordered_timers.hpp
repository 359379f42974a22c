// SPDX-License-Identifier: MIT
// Single-threaded structures that keep timers, with one interface, to be driven by hand: detent's wheels without an
// engine, and what the standard library has. Each is
//   Kind(ids, live)                       timers are numbers below `ids`; about `live` are in it at once
//   insert(id, deadline), cancel(id)      `id` must not be, must be in it
//   expire(now, take)                     calls take(id) for all that is due, in the order of deadlines
//   next()                                the next expiry, or an earlier bound of it; INT64_MAX: empty
#pragma once

#include "wheel/hashed_wheel.hpp"
#include "wheel/hierarchical_wheel.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <map>
#include <queue>
#include <utility>
#include <vector>

#include "line_memory.hpp"

namespace detent::bench {

using timer_id = std::uint32_t;
using nanoseconds = std::int64_t;

// The nodes as a wheel accesses them.
struct node_array {
  detail::node* nodes;
  detail::node& operator[](detail::node_index index) const noexcept { return nodes[index]; }
  detail::filing filing_of(detail::node_index, const detail::node& of) const noexcept {
    return {detail::deadline_of(of.pair), true};
  }
  void prefetch(detail::node_index index, const detail::node&) const noexcept {
    base::prefetch_to_write(&nodes[index]);
  }
};

// A wheel, with the sorting by deadline of timers that come due together, which its engine does.
template <class Wheel>
class wheel_of_nodes {
 public:
  template <class MakeWheel>
  wheel_of_nodes(std::size_t ids, MakeWheel make) : nodes_(ids), wheel_(make(node_array{nodes_.data()})) {}

  void insert(timer_id id, nanoseconds deadline) {
    detail::node& added = nodes_[id];
    // relaxed: there is one thread.
    added.pair.high.store(static_cast<std::uint64_t>(deadline), base::relaxed);
    wheel_.insert(id, added, deadline);
  }
  void cancel(timer_id id) { wheel_.unlink(nodes_[id]); }
  template <class Take>
  void expire(nanoseconds now, Take take) {
    wheel_.expire(now, [&](detail::node_index id, detail::node& each) {
      const nanoseconds deadline = detail::deadline_of(each.pair);
      if (deadline > now) return false;
      due_.emplace_back(deadline, id);
      return true;
    });
    if (due_.empty()) return;
    std::sort(due_.begin(), due_.end());
    for (const auto& each : due_) take(each.second);
    due_.clear();
  }
  nanoseconds next() const { return wheel_.next_bound().value_or(INT64_MAX); }

 private:
  line_memory<detail::node> nodes_;
  Wheel wheel_;
  std::vector<std::pair<nanoseconds, timer_id>> due_;
};

template <nanoseconds Tick>
class hierarchical_at : public wheel_of_nodes<detail::hierarchical_wheel<node_array>> {
  using wheel = wheel_of_nodes<detail::hierarchical_wheel<node_array>>;

 public:
  hierarchical_at(std::size_t ids, std::size_t)
      : wheel(ids, [](node_array nodes) {
          return detail::hierarchical_wheel<node_array>(nodes, detail::tick_grid(Tick), 0);
        }) {}
  void insert(timer_id id, nanoseconds deadline) { wheel::insert(id, detail::tick_grid(Tick).round_up(deadline)); }
};
using hierarchical = hierarchical_at<1>;

// A hashed wheel with a wheel of its own for what is near; an engine has that anyway.
struct own_wheel {
  detail::hierarchical_wheel<node_array> near;
};
class lone_hashed_wheel : private own_wheel, public detail::hashed_wheel<node_array> {
 public:
  lone_hashed_wheel(node_array nodes, detail::tick_grid grid, std::size_t slots)
      : own_wheel{detail::hierarchical_wheel<node_array>(nodes, grid, 0)},
        detail::hashed_wheel<node_array>(nodes, grid, 0, slots, near) {}
};

// With a tick of 1 us, because it has no levels to make up for a finer one, and with about as many slots as timers.
class hashed : public wheel_of_nodes<lone_hashed_wheel> {
  using wheel = wheel_of_nodes<lone_hashed_wheel>;

 public:
  static constexpr nanoseconds tick = 1'000;
  hashed(std::size_t ids, std::size_t live)
      : wheel(ids, [live](node_array nodes) {
          const std::size_t slots = std::clamp<std::size_t>(std::bit_ceil(live), 512, std::size_t{1} << 24);
          return lone_hashed_wheel(nodes, detail::tick_grid(tick), slots);
        }) {}
  void insert(timer_id id, nanoseconds deadline) { wheel::insert(id, detail::tick_grid(tick).round_up(deadline)); }
};

class multimap {
 public:
  multimap(std::size_t ids, std::size_t) : places_(ids) {}
  void insert(timer_id id, nanoseconds deadline) { places_[id] = timers_.emplace(deadline, id); }
  void cancel(timer_id id) { timers_.erase(places_[id]); }
  template <class Take>
  void expire(nanoseconds now, Take take) {
    while (!timers_.empty() && timers_.begin()->first <= now) {
      const timer_id id = timers_.begin()->second;
      timers_.erase(timers_.begin());
      take(id);
    }
  }
  nanoseconds next() const { return timers_.empty() ? INT64_MAX : timers_.begin()->first; }

 private:
  std::multimap<nanoseconds, timer_id> timers_;
  std::vector<std::multimap<nanoseconds, timer_id>::iterator> places_;
};

// It cannot cancel.
class priority_queue {
 public:
  priority_queue(std::size_t, std::size_t) {}
  void insert(timer_id id, nanoseconds deadline) { timers_.emplace(deadline, id); }
  template <class Take>
  void expire(nanoseconds now, Take take) {
    while (!timers_.empty() && timers_.top().first <= now) {
      const timer_id id = timers_.top().second;
      timers_.pop();
      take(id);
    }
  }

 private:
  using entry = std::pair<nanoseconds, timer_id>;
  std::priority_queue<entry, std::vector<entry>, std::greater<>> timers_;
};

}  // namespace detent::bench
