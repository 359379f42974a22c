// SPDX-License-Identifier: MIT
// A cluster in virtual time, some of whose timers end the process that runs them.
#pragma once

#include "../src/node/careful.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <queue>
#include <random>
#include <set>
#include <vector>

namespace durable_test {

using namespace std::chrono_literals;
using detent::durable::detail::attempts;
using detent::durable::detail::careful_runs;

struct cluster_plan {
  std::size_t timers = 4000;
  std::size_t guilty = 3;  // end their process: the first of them after 3 s, the others after milliseconds
  std::size_t slow = 40;   // take 20 s
  std::size_t nodes = 1, shards = 8;
  std::uint32_t max_attempts = 3;
  std::chrono::nanoseconds lease = 2s;
  std::chrono::nanoseconds killed_every = {};  // one of the nodes, by no timer, on average; 0: never
};

class cluster_model {
 public:
  struct verdict {
    std::size_t guilty = 0, innocent = 0;  // given up
    std::uint32_t most_starts = 0;         // of one that was given up
    std::size_t deaths = 0;
    std::chrono::nanoseconds drained_at{};
  };

  cluster_model(const cluster_plan& plan, std::uint64_t seed) : plan_(plan), random_(seed), nodes_(plan.nodes) {
    for (std::uint64_t id = 1; id <= plan_.timers; ++id) {
      if (id <= plan_.guilty + plan_.slow) timers_[id].kind = id <= plan_.guilty ? sort::guilty : sort::slow;
      timers_[id].kills_late = id == 1;
      timers_[id].shard = random_() % plan_.shards;
    }
    owner_.resize(plan_.shards, none);
    was_lost_.resize(plan_.shards, false);
  }

  verdict run() {
    for (std::size_t node = 0; node < nodes_.size(); ++node) revive(node);
    take_shards();
    if (plan_.killed_every.count() != 0) kill_one_later();
    while (!timers_.empty() && now_ < 10h) {
      const event next = events_.top();
      events_.pop();
      now_ = next.at;
      next.what();
    }
    out_.drained_at = now_;
    return out_;
  }

 private:
  using time = std::chrono::nanoseconds;
  static constexpr std::size_t none = SIZE_MAX;
  static constexpr time write_takes = 2ms;

  enum class sort : std::uint8_t { quick, slow, guilty };
  struct timer {
    sort kind = sort::quick;
    bool kills_late = false;
    std::size_t shard = 0;
    std::uint32_t attempt = 1;  // as the store has it
    std::uint32_t starts = 0;
  };
  struct node {
    bool lives = false;
    std::uint64_t life = 0;
    std::optional<careful_runs> careful;
    time wakes_at = time::max();
  };
  struct event {
    time at;
    std::uint64_t number;
    std::function<void()> what;
    bool operator<(const event& other) const { return at != other.at ? at > other.at : number > other.number; }
  };

  void at(time when, std::function<void()> what) { events_.push({when, events_made_++, std::move(what)}); }
  // Unless the node has died by then.
  void on(std::size_t node, time delay, std::function<void()> what) {
    at(now_ + delay, [this, node, life = nodes_[node].life, what = std::move(what)] {
      if (nodes_[node].lives && nodes_[node].life == life) what();
    });
  }
  time about(time mean) {
    return time(
        static_cast<time::rep>(std::exponential_distribution(1.0)(random_) * static_cast<double>(mean.count())));
  }

  void revive(std::size_t which) {
    ++nodes_[which].life;
    nodes_[which].lives = true;
    nodes_[which].careful.emplace();
  }

  void die(std::size_t which) {
    ++out_.deaths;
    nodes_[which].lives = false;
    for (std::size_t shard = 0; shard < plan_.shards; ++shard) {
      if (owner_[shard] != which) continue;
      owner_[shard] = none;
      was_lost_[shard] = true;
    }
    at(now_ + plan_.lease / 2, [this, which] { revive(which); });
    at(now_ + plan_.lease, [this] { take_shards(); });
  }

  void kill_one_later() {
    at(now_ + about(plan_.killed_every), [this] {
      const std::size_t which = random_() % nodes_.size();
      if (nodes_[which].lives) die(which);
      kill_one_later();
    });
  }

  void take_shards() {
    std::vector<std::size_t> living;
    for (std::size_t node = 0; node < nodes_.size(); ++node)
      if (nodes_[node].lives) living.push_back(node);
    if (living.empty()) return at(now_ + 100ms, [this] { take_shards(); });
    for (std::size_t shard = 0; shard < plan_.shards; ++shard)
      if (owner_[shard] == none) take(shard, living[random_() % living.size()]);
  }

  void take(std::size_t shard, std::size_t by) {
    owner_[shard] = by;
    time offset = 0s;  // starts take their time
    for (const auto& [id, its] : timers_) {
      if (its.shard != shard) continue;
      offset += 50us;
      on(by, offset, [this, by, id = id, careful = was_lost_[shard]] {
        const auto found = timers_.find(id);
        if (found == timers_.end()) return;
        if (!careful_runs::is_careful(found->second.attempt, careful)) return start(by, id);
        nodes_[by].careful->add(id, found->second.attempt, plan_.max_attempts);
        decide(by);
      });
    }
  }

  void decide(std::size_t by) {
    auto& its = nodes_[by];
    const careful_runs::decision next = its.careful->decide(now_);
    for (const std::uint64_t id : next.given_up) give_up(id);
    if (!next.marks.empty())
      on(by, write_takes, [this, by, marks = next.marks] {
        for (const careful_runs::mark& one : marks) written(by, one);
        decide(by);
      });
    if (const time at = its.careful->wakes_at(); at != its.wakes_at && at != time::max()) {
      its.wakes_at = at;
      on(by, at - now_, [this, by] { decide(by); });
    }
  }

  void written(std::size_t by, const careful_runs::mark& one) {
    const auto found = timers_.find(one.id);
    if (found == timers_.end()) return nodes_[by].careful->over(one.id);
    found->second.attempt = one.attempt;
    if (!one.starts) return;
    start(by, one.id);
    nodes_[by].careful->begun(one.id, now_);
  }

  void start(std::size_t by, std::uint64_t id) {
    timer& its = timers_.at(id);
    ++its.starts;
    if (its.kind == sort::guilty) return on(by, its.kills_late ? 3s : about(5ms), [this, by] { die(by); });
    on(by, its.kind == sort::slow ? 20s : about(10ms), [this, by, id] {
      nodes_[by].careful->over(id);
      on(by, write_takes, [this, id] { timers_.erase(id); });
      decide(by);
    });
  }

  void give_up(std::uint64_t id) {
    const auto found = timers_.find(id);
    if (found == timers_.end()) return;
    ++(found->second.kind == sort::guilty ? out_.guilty : out_.innocent);
    out_.most_starts = std::max(out_.most_starts, found->second.starts);
    timers_.erase(found);
  }

  const cluster_plan plan_;
  std::mt19937_64 random_;
  std::map<std::uint64_t, timer> timers_;
  std::vector<node> nodes_;
  std::vector<std::size_t> owner_;
  std::vector<bool> was_lost_;
  std::priority_queue<event> events_;
  std::uint64_t events_made_ = 0;
  time now_{};
  verdict out_;
};

}  // namespace durable_test
