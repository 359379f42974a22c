// SPDX-License-Identifier: MIT
// Hears what is published to one channel, on a thread of its own.
#pragma once

#include "sentinels.hpp"

#include <detent/durable_store.hpp>

#include <thread>

namespace detent::durable::redis {

class listener {
 public:
  // Calls `wake` with the shard that each message names, and with each shard after a time without a connection. Any
  // server of the store will do: a cluster passes messages on, and the replicas of a master have them too.
  listener(whereabouts where, access how, std::string channel, shard_id shards, std::function<void(shard_id)> wake);
  listener(const listener&) = delete;
  listener& operator=(const listener&) = delete;
  ~listener();  // `wake` is not running when it returns

 private:
  void run();
  bool listen_to(const address& server);
  void hear(const redisReply& message) const;
  bool wait(std::chrono::milliseconds limit) const;

  const whereabouts where_;
  const access how_;
  const std::unique_ptr<sentinels> sentinels_;  // null if the addresses are those of servers
  const std::string channel_;
  const shard_id shards_;
  const std::function<void(shard_id)> wake_;
  int stop_;            // an eventfd
  std::thread thread_;  // last, because it uses all other members
};

}  // namespace detent::durable::redis
