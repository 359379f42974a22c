// SPDX-License-Identifier: MIT
// Hears what is published to one channel, on a thread of its own.
#pragma once

#include "sentinels.hpp"

#include <detent/durable_store.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>

namespace detent::durable::redis {

class listener {
 public:
  // Calls `wake` with the shard that each message names, and with every shard of `shards` after a time without a
  // connection. Of the servers any will do: a cluster passes messages on, and the replica of a master has them too.
  listener(whereabouts where, access how, std::string channel, shard_id shards, std::function<void(shard_id)> wake);
  listener(const listener&) = delete;
  listener& operator=(const listener&) = delete;
  ~listener();  // when it returns, `wake` is not running

 private:
  void run();
  bool listen_to(const address& server);
  void hear(const redisReply& message) const;
  bool wait(std::chrono::milliseconds limit) const;

  const whereabouts where_;
  const access how_;
  const std::unique_ptr<sentinels> sentinels_;  // null: the addresses are those of servers
  const std::string channel_;
  const shard_id shards_;
  const std::function<void(shard_id)> wake_;
  int stop_;            // an eventfd
  std::thread thread_;  // last: it uses the rest
};

}  // namespace detent::durable::redis
