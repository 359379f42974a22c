// SPDX-License-Identifier: MIT
// A wheel alone as the world of histories, with the least of a driver around it: what an engine does with its wheel, in
// one thread. For wheels of a shape that no engine has.
#pragma once

#include "wheel/hierarchical_wheel.hpp"

#include "search/histories/history.hpp"
#include "support/lone_hashed_wheel.hpp"
#include "support/node_store.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

namespace detent::history {

template <unsigned Bits>
struct shrunk_hierarchy {
  struct traits {
    static constexpr unsigned slot_bits = Bits, chain_bits = 1;
  };
  using wheel_type = detail::hierarchical_wheel<test::node_store::view, traits>;
  static void make(std::optional<wheel_type>& made, test::node_store::view nodes, const setting& where,
                   nanoseconds_t start) {
    made.emplace(nodes, detail::tick_grid(where.tick), start);
  }
};

// Few near ticks, so that rounds come into it.
struct shrunk_ring {
  struct traits {
    static constexpr unsigned ring_bits = 2, near_ticks = 2;
  };
  using wheel_type = test::lone_hashed_wheel<test::node_store::view, traits>;
  static void make(std::optional<wheel_type>& made, test::node_store::view nodes, const setting& where,
                   nanoseconds_t start) {
    made.emplace(nodes, detail::tick_grid(where.tick), start, where.slots);
  }
};

// Kind has wheel_type and make(made, nodes, setting, start). Only plain timers, at most eight.
template <class Kind>
class wheel_world {
 public:
  explicit wheel_world(const setting& where) : where_(where) {}

  void begin(nanoseconds_t start) {
    now_ = start;
    timers_.clear();
    due_.clear();
    wheel_.reset();
    store_.emplace(8);
    Kind::make(wheel_, store_->nodes(), where_, start);
  }
  nanoseconds_t now() const { return now_; }
  std::uint32_t made() const { return static_cast<std::uint32_t>(timers_.size()); }
  void schedule(const operation& step) {
    const nanoseconds_t deadline = rounded(step.by);
    const node_index index = store_->take(deadline);
    timers_.push_back({index, place::wheel, orders_++});
    by_node_[index] = made() - 1;
    wheel_->insert(index, (*store_)[index], deadline);
  }
  bool cancel(std::uint32_t id) {
    if (timers_[id].where == place::nowhere) return false;
    take_out(id);
    end(id);
    return true;
  }
  bool restart(std::uint32_t id, nanoseconds_t by);
  void advance(nanoseconds_t by) { now_ = detail::add_saturated(now_, by); }
  std::size_t poll(nanoseconds_t most);
  std::optional<nanoseconds_t> next();
  std::size_t pending() const {
    return static_cast<std::size_t>(
        std::count_if(timers_.begin(), timers_.end(), [](auto& each) { return each.where != place::nowhere; }));
  }

  std::vector<run> fired;

 private:
  using node_index = detail::node_index;
  enum class place : std::uint8_t { wheel, due, nowhere };
  struct filed {
    node_index index;
    place where;
    std::uint64_t order;
  };
  using due_key = std::tuple<nanoseconds_t, std::uint64_t>;

  nanoseconds_t rounded(nanoseconds_t by) const {
    return detail::tick_grid(where_.tick).round_up(detail::add_saturated(now_, by));
  }
  due_key key(std::uint32_t id) const { return {store_->deadline(timers_[id].index), timers_[id].order}; }
  void take_out(std::uint32_t id) {
    if (timers_[id].where == place::due) {
      due_.erase(key(id));
    } else {
      wheel_->unlink((*store_)[timers_[id].index]);
    }
  }
  void end(std::uint32_t id) {
    timers_[id].where = place::nowhere;
    store_->give_back(timers_[id].index);
  }

  setting where_;
  nanoseconds_t now_ = 0;
  std::uint64_t orders_ = 0;
  std::optional<test::node_store> store_;
  std::optional<typename Kind::wheel_type> wheel_;
  std::map<due_key, std::uint32_t> due_;
  std::vector<filed> timers_;
  std::array<std::uint32_t, 8> by_node_{};
};

// Later: without notice to the wheel, which finds out by itself. Earlier: inserted again.
template <class Kind>
bool wheel_world<Kind>::restart(std::uint32_t id, nanoseconds_t by) {
  filed& named = timers_[id];
  if (named.where == place::nowhere) return false;
  const nanoseconds_t deadline = rounded(by);
  const bool lazily = named.where == place::wheel && deadline > store_->deadline(named.index);
  if (!lazily) take_out(id);
  named.order = orders_++;
  store_->set_deadline(named.index, deadline);
  if (!lazily) wheel_->insert(named.index, (*store_)[named.index], deadline);
  named.where = place::wheel;
  return true;
}

template <class Kind>
std::size_t wheel_world<Kind>::poll(nanoseconds_t most) {
  wheel_->expire(now_, [this](node_index index, detail::node&) {
    if (store_->deadline(index) > now_) return false;
    const std::uint32_t id = by_node_[index];
    timers_[id].where = place::due;
    due_.emplace(key(id), id);
    return true;
  });
  std::size_t count = 0;
  for (; static_cast<nanoseconds_t>(count) < most && !due_.empty(); ++count) {
    const std::uint32_t id = due_.begin()->second;
    fired.push_back({static_cast<int>(id), store_->deadline(timers_[id].index), 0});
    due_.erase(due_.begin());
    end(id);
  }
  return count;
}

template <class Kind>
std::optional<nanoseconds_t> wheel_world<Kind>::next() {
  std::optional<nanoseconds_t> reported = wheel_->next_exact([](node_index, detail::node&) { return false; });
  if (due_.empty()) return reported;
  return std::min(std::get<0>(due_.begin()->first), reported.value_or(detail::forever));
}

}  // namespace detent::history
