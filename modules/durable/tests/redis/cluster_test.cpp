// SPDX-License-Identifier: MIT
// A cluster that loses a master while timers are due: those of the other masters go on, those of the lost one come when
// its replica has been promoted.
#include "redis_cluster.hpp"

#include <detent/durable_redis.hpp>

#include "../histories.hpp"
#include "../nodes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>

namespace durable_test {
namespace {

using detent::test::redis_cluster;

constexpr shard_id cluster_shards = 12;
constexpr std::size_t timers_each = 2000;  // before the fault begins, and during it
constexpr std::chrono::milliseconds span = 8s;

enum class loss { killed, stopped };

// The timers that were put and acknowledged.
class plan {
 public:
  struct timing {
    detent::wall_time due, stored;
  };
  void put(timers& in, detent::wall_time due) {
    const std::string key = "t" + std::to_string(count_++);
    in.schedule_at(due, "write", {}, {.key = key, .on_stored = [this, key, due](std::error_code code) {
                                        const std::lock_guard locked(lock_);
                                        if (code)
                                          ++refused_;
                                        else
                                          stored_.emplace(key, timing{due, now()});
                                      }});
  }
  std::map<std::string, timing> stored() const {
    const std::lock_guard locked(lock_);
    return stored_;
  }
  int count() const { return count_; }
  int refused() const {
    const std::lock_guard locked(lock_);
    return refused_;
  }

 private:
  int count_ = 0;
  mutable std::mutex lock_;
  std::map<std::string, timing> stored_;
  int refused_ = 0;
};

struct outage {
  std::size_t master;
  detent::wall_time begin, end;  // the end: its replica has been promoted
};

struct verdict {
  int lost = 0, early = 0, twice = 0;
  int others_due = 0, others_run = 0;  // of the other masters, due within the outage; and that ran within it
  std::chrono::milliseconds others_late{}, its_late{};  // at most; its: counted from the end of the outage
};

verdict judge(const plan& what, const std::vector<journal::line>& ran, const outage& its) {
  verdict out;
  std::map<std::string, detent::wall_time> first;
  for (const journal::line& line : ran) {
    out.early += line.started < line.due;
    out.twice += !first.emplace(line.key, line.started).second;
  }
  for (const auto& [key, when] : what.stored()) {
    const auto due = std::max(when.due, when.stored);  // a put that waits for the lost master holds up the next ones
    const auto found = first.find(key);
    if (found == first.end()) {
      ++out.lost;
      continue;
    }
    const bool is_hit = redis_cluster::master_of(shard_of(key, {}, cluster_shards)) == its.master;
    const auto late = [&](detent::wall_time from) {
      return std::chrono::duration_cast<std::chrono::milliseconds>(found->second - from);
    };
    if (is_hit) {
      const bool is_within = due >= its.begin && due < its.end;
      out.its_late = std::max(out.its_late, late(is_within ? its.end : due));
    } else {
      out.others_late = std::max(out.others_late, late(due));
      if (due < its.begin || due >= its.end) continue;
      ++out.others_due;
      out.others_run += found->second < its.end;
    }
  }
  return out;
}

outage lose(redis_cluster& in, std::size_t master, loss how) {
  outage its{master, now(), {}};
  if (how == loss::killed)
    in.master(master).kill();
  else
    in.master(master).pause();
  soon([&] { return in.is_promoted(master); }, 60s);
  its.end = now();
  std::this_thread::sleep_for(500ms);
  if (how == loss::killed)
    in.master(master).start();  // it learns that it is a replica now, which a WAIT may need
  else
    in.master(master).go_on();
  return its;
}

void lose_a_master(loss how) {
  const std::uint64_t seed = seed_of_run();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  redis_cluster cluster;
  journal book;
  std::vector<std::unique_ptr<a_node>> nodes;
  for (const char* const name : {"first", "second"}) {
    auto to = redis_store(cluster.address(), {.shards = cluster_shards, .patience = 200ms, .replicas = 1});
    nodes.push_back(std::make_unique<a_node>(std::move(to), book, options{.lease = 1s}, name));
  }
  plan what;
  const auto begin = now() + 1s;
  const auto within = [&](std::chrono::milliseconds limit) {
    return std::chrono::milliseconds(std::uniform_int_distribution<std::int64_t>(0, limit.count())(random));
  };
  for (std::size_t i = 0; i != timers_each; ++i) what.put(nodes[i % 2]->on, begin + within(span));
  for (const auto& node : nodes) node->on.start();

  const std::size_t victim = random() % redis_cluster::masters;
  std::this_thread::sleep_until(begin + 1s);
  std::thread meanwhile([&] {
    for (std::size_t i = 0; i != timers_each; ++i) {
      what.put(nodes[i % 2]->on, now() + within(3s));
      std::this_thread::sleep_for(span / 2 / timers_each);
    }
  });
  const outage its = lose(cluster, victim, how);  // by this thread: servers end with the one that started them
  meanwhile.join();
  for (const auto& node : nodes) EXPECT_TRUE(node->on.flush(60s));
  EXPECT_TRUE(soon(
      [&] {
        return nodes[0]->on.metrics().runs + nodes[1]->on.metrics().runs >= what.stored().size() &&
               judge(what, book.lines(), its).lost == 0;
      },
      60s));

  const verdict is = judge(what, book.lines(), its);
  std::printf(
      "seed %llu: master %zu %s for %lld ms; %d timers: lost %d, early %d, twice %d; the others': %d of %d due "
      "meanwhile ran meanwhile, %lld ms late at most; its: %lld ms late at most\n",
      static_cast<unsigned long long>(seed), its.master, how == loss::killed ? "killed" : "stopped",
      static_cast<long long>((its.end - its.begin) / 1ms), what.count(), is.lost, is.early, is.twice, is.others_run,
      is.others_due, static_cast<long long>(is.others_late.count()), static_cast<long long>(is.its_late.count()));
  EXPECT_EQ(what.refused(), 0);
  EXPECT_EQ(what.stored().size(), static_cast<std::size_t>(what.count()));
  EXPECT_EQ(is.lost, 0);
  EXPECT_EQ(is.early, 0);
  EXPECT_GT(2 * is.others_run, is.others_due);  // had they waited for the promotion, none would have run
  for (const auto& node : nodes) EXPECT_LT(node->reported->count(errc::unavailable), 10) << node->reported->all();
}

TEST(DurableRedisCluster, LosesNoTimerWithAMasterThatIsKilled) {
  DETENT_NEED_REDIS();
  lose_a_master(loss::killed);
}

TEST(DurableRedisCluster, LosesNoTimerWithAMasterThatIsStopped) {
  DETENT_NEED_REDIS();
  lose_a_master(loss::stopped);
}

}  // namespace
}  // namespace durable_test
