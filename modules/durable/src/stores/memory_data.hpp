// SPDX-License-Identifier: MIT
#pragma once

#include "term_book.hpp"

#include <detent/durable_store.hpp>

#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace detent::durable::detail {

// The timers of one shard in memory.
class memory_shard {
 public:
  struct grave {
    record what;
    std::string why;
  };

  const record* find(const std::string& key) const noexcept;
  void set(record what);
  bool erase(const std::string& key);
  void kill(const std::string& key, std::string why);
  grave* find_dead(const std::string& key) noexcept;
  bool erase_dead(const std::string& key) { return dead_.erase(key) != 0; }

  // In (`after`, `upto`] by due time and id: about `limit`, but all of the last instant. Returns whether that was all.
  bool read(stored_time after, stored_time upto, std::size_t limit, std::vector<record>& out) const;
  void list(const list_request& which, std::vector<listed_record>& out) const;
  std::size_t timers() const noexcept { return live_.size(); }
  std::size_t dead() const noexcept { return dead_.size(); }

 private:
  std::map<std::string, record> live_;
  std::set<std::tuple<stored_time, std::uint64_t, std::string>> by_due_;
  std::map<std::string, grave> dead_;
};

// The data that several connections share. The lock is held for each call.
class memory_data {
 public:
  explicit memory_data(shard_id count) : book(count), shards(count) {}

  std::mutex lock;
  term_book book;
  std::vector<memory_shard> shards;
  std::map<const void*, std::function<void(shard_id)>> listeners;  // by connection
};

}  // namespace detent::durable::detail
