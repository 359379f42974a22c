// SPDX-License-Identifier: MIT
// The store and the node of every process here: they must agree on the lease, and their patience has to fit into it.
#pragma once

#include <detent/durable.hpp>
#include <detent/durable_redis.hpp>

#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>

namespace orders {

// A server that has just been started may need longer than the patience to answer: it is asked again, for half a
// minute.
inline std::shared_ptr<detent::durable::store> open_store(const std::string& redis, std::chrono::milliseconds lease) {
  for (const auto last = std::chrono::steady_clock::now() + std::chrono::seconds(30);;) {
    try {
      return detent::durable::redis_store(redis, {.prefix = "orders", .shards = 8, .patience = lease / 5});
    } catch (const detent::error& problem) {
      if (problem.code() != detent::durable::errc::unavailable || std::chrono::steady_clock::now() > last) throw;
      std::this_thread::sleep_for(lease / 5);
    }
  }
}

inline detent::durable::options node_options(const std::string& name, std::chrono::milliseconds lease) {
  detent::durable::options how;
  how.node = name;
  how.lease = lease;
  how.on_trouble = [](std::error_code, std::string_view what) {
    std::printf("trouble %.*s\n", static_cast<int>(what.size()), what.data());
  };
  return how;
}

}  // namespace orders
