// SPDX-License-Identifier: MIT
// Hears what is announced to the terms of this process, on a thread and a connection of its own: by NOTIFY what is
// near, and by a look at times what a transaction has committed late.
#pragma once

#include "connection.hpp"
#include "terms.hpp"

#include <detent/durable_store.hpp>

#include <map>
#include <thread>

namespace detent::durable::postgres {

class listener {
 public:
  // Calls `wake` with the shard that each notice names, with each shard in which something was committed late, and with
  // each shard after a time without a connection.
  listener(const std::string& url, const std::string& settings, std::chrono::microseconds patience, const terms& own,
           shard_id shards, std::function<void(shard_id)> wake);
  listener(const listener&) = delete;
  listener& operator=(const listener&) = delete;
  ~listener();  // `wake` is not running when it returns

 private:
  void run();
  bool listen();
  bool hear();
  bool look();
  bool wait(std::chrono::milliseconds limit) const;

  connection to_;
  const terms& own_;
  const shard_id shards_;
  const std::function<void(shard_id)> wake_;
  // The point from which the next look continues, for each shard that has a term.
  struct looked_at {
    std::uint64_t fence = 0, readings = 0;
    std::string snapshot;
  };
  std::map<shard_id, looked_at> looked_;
  int stop_;            // an eventfd
  std::thread thread_;  // last, because it uses all other members
};

}  // namespace detent::durable::postgres
