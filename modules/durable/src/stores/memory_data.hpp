// SPDX-License-Identifier: MIT
#pragma once

#include "term_book.hpp"

#include <detent/durable_store.hpp>

#include <map>
#include <mutex>
#include <set>
#include <utility>

namespace detent::durable::detail {

// The timers of one shard in memory, in the order of due times and ids.
class memory_shard {
 public:
  struct entry {
    record what;
    std::uint64_t tie = 0;  // its id, or the next free number of its instant
    std::optional<record> successor = {};
    read_place place() const noexcept { return {what.due, tie}; }
  };

  entry* find(const std::string& key) noexcept;
  // Replaces the timer of the same key, if there is one.
  entry& set(record what, std::optional<record> successor = {});
  void erase(const std::string& key);
  void kill(const std::string& key, std::string why, stored_time now);
  listed_record* find_dead(const std::string& key) noexcept;
  bool erase_dead(const std::string& key);

  // Appends the timers in (`after`, `upto`], as far as `what` allows. Returns how far it got: `upto`, or the last one.
  read_place read(const read_place& after, const read_place& upto, const read_request& what,
                  std::vector<record>& out) const;
  list_page list(const list_request& which) const;
  // Appends the timers in a partition whose keys without it are `key`.
  void find_by_key(std::string_view key, const key_request& which, std::vector<listed_record>& out) const;
  purge_page purge(const list_request& which);
  std::uint64_t count_due(stored_time by) const noexcept;
  stored_time nth_death(std::size_t nth) const noexcept;
  std::size_t timers() const noexcept { return live_.size(); }
  std::size_t dead() const noexcept { return dead_.size(); }

 private:
  void note_partition(const std::string& stored);
  void forget_partition(const std::string& stored);
  template <class Visit>
  std::string visit_live(const list_request& which, Visit&& visit) const;
  template <class Visit>
  std::string visit_dead(const list_request& which, Visit&& visit) const;

  std::map<std::string, entry> live_;
  std::map<read_place, std::string> by_place_;
  std::map<std::string, listed_record> dead_;
  std::set<std::pair<stored_time, std::string>> by_death_;
  // Key and stored name of the timers in a partition, alive or dead.
  std::set<std::pair<std::string, std::string>> by_key_;
};

// The data that several connections share. Each call holds the lock.
class memory_data {
 public:
  memory_data(shard_id count, const clocks& by) : book(count, by), shards(count) {}

  std::mutex lock;
  term_book book;
  std::vector<memory_shard> shards;
  std::map<const void*, std::function<void(shard_id)>> listeners;  // by connection
};

// Carries out changes one at a time. The caller holds the lock of the data.
class memory_changes {
 public:
  explicit memory_changes(memory_data& data) noexcept : data_(data) {}

  change_status operator()(const put_request& what);
  change_status operator()(const cancel_request& what);
  change_status operator()(const end_request& what);

 private:
  memory_shard& shard(shard_id which) noexcept { return data_.shards[which]; }
  void announce(shard_id shard, announced what);
  void add(record what);
  change_status keep(memory_shard::entry& old, const record& what);
  change_status put_over(const memory_shard::entry& old, const put_request& what);
  change_status revive(const record& what);
  void move(memory_shard::entry& its, const end_request& what);

  memory_data& data_;
};

}  // namespace detent::durable::detail
