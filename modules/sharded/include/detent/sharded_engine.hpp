// SPDX-License-Identifier: MIT
// Several engines under one name: a key, the calling thread or a number says which. docs/sharding.md: whether to, and
// how many.
#pragma once

#include <detent/engine.hpp>
#include <detent/timer_group.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

namespace detent {

namespace detail {
class shard_map;
}

struct sharded_options {
  // The set's; its shards are called NAME/0, NAME/1 and so on, in errors, counters and metrics. A worker's thread has
  // as much of NAME as leaves room for the number in 15 characters. "detent".
  std::string name = "detent";
  // How many engines, 1 to 1,024; must be given.
  std::size_t shards = 0;
  // The options of each shard: `capacity`, `reserve` and executors are per shard too. The set fills in `name` and
  // `shard`, `cpu` is the option below, and of a `counters_file` or `record` that is a path, each shard has PATH.0,
  // PATH.1 and so on, of a `record` PATH.gz each has PATH.0.gz, PATH.1.gz and so on. With drive = caller, shard i is
  // driven by the loop that calls poll() of (*this)[i].
  engine_options each = {};
  // Shard i's worker is pinned to cpus[i]; as many as shards. Empty: none is.
  std::vector<int> cpus = {};
  // Binds shard i's memory to the NUMA node of cpus[i], as memory_options::numa_node does. Off.
  bool node_local = false;
};

// Returns the number of the shard for a key with this hash. Fibonacci hashing (Knuth, TAOCP 6.4): whole numbers that
// count up spread more evenly than by chance, in most steps too; random ones as evenly as by chance.
constexpr std::size_t shard_of_hash(std::uint64_t hash, std::size_t shards) noexcept {
  hash ^= hash >> 32;
  hash *= 0x9e3779b97f4a7c15u;
  return static_cast<std::size_t>((hash >> 32) * shards >> 32);
}

// Gives a key the same shard in every thread of a process, and a whole number or an enumerator in every process. A
// string is the same key in any string type; other types go by std::hash.
template <class Key>
std::size_t shard_of_key(const Key& key, std::size_t shards) noexcept {
  if constexpr (std::integral<Key> || std::is_enum_v<Key>) {
    return shard_of_hash(static_cast<std::uint64_t>(key), shards);
  } else if constexpr (std::is_convertible_v<const Key&, std::string_view>) {
    return shard_of_hash(std::hash<std::string_view>{}(key), shards);
  } else {
    return shard_of_hash(std::hash<Key>{}(key), shards);
  }
}

// Any thread may call anything except the destructor. A shard is an engine: every call that takes an engine takes a
// shard, a timer's handle is the same and may be used from any thread, and an engine's promises about its timers hold
// for those of a shard: they run in the order of their deadlines, one at a time where they run inline. There is no
// order between shards.
class sharded_engine {
 public:
  static constexpr std::size_t most_shards = 1024;

  // Throws detent::error naming the option, the value and the cure; what engine's constructor throws; bad_alloc.
  explicit sharded_engine(sharded_options options);
  // Null: `problem` says why.
  static std::unique_ptr<sharded_engine> try_create(sharded_options options, std::error_code& problem) noexcept;
  sharded_engine(const sharded_engine&) = delete;
  sharded_engine& operator=(const sharded_engine&) = delete;
  // Closes all, stops all, and destroys unrun what was pending. Never from a callback of one of its shards, other than
  // an engine's: that shard could not be stopped before the first is gone, and its other callbacks may look for any.
  ~sharded_engine();

  // --- Which shard

  std::size_t size() const noexcept { return shards_.size(); }
  // `index` is less than size().
  engine& operator[](std::size_t index) noexcept { return shards_[index]; }
  const engine& operator[](std::size_t index) const noexcept { return shards_[index]; }
  engine* begin() noexcept { return shards_.data(); }
  engine* end() noexcept { return shards_.data() + shards_.size(); }
  const engine* begin() const noexcept { return shards_.data(); }
  const engine* end() const noexcept { return shards_.data() + shards_.size(); }

  // The key's, for as long as the set exists, from any thread, before and after stop(): callbacks of a key that run
  // inline never overlap, and run in the order of their deadlines. Some nanoseconds, no lock.
  template <class Key>
  engine& of(const Key& key) noexcept {
    return shards_[index_of(key)];
  }
  template <class Key>
  std::size_t index_of(const Key& key) const noexcept {
    return shard_of_key(key, size());
  }
  // The shard that this thread is bound to; else that of the CPU where it runs, by the CPU's position among those that
  // the process might use when the set was made: not by its number, of which a mask may leave only some that are alike.
  // With more shards than CPUs, a CPU's shards are dealt out to the threads. For timers that belong to no key. Some 5
  // ns.
  engine& local() noexcept { return shards_[local_index()]; }
  std::size_t local_index() const noexcept;
  // From now on local() of this set is that shard in this thread: for a loop that drives it, and for a thread that is
  // pinned. The last call counts; a thread may be bound in several sets. It stays bound to its very end: destructors of
  // its thread-local objects, and on the main thread of static ones, find and may change it. Throws invalid_option,
  // bad_alloc.
  void bind_this_thread(std::size_t index);

  // --- All of them

  // Each is closed: engine::close().
  void close() noexcept;
  // Every timer of all shards that had not ended, once each. All are closed before the first is waited for: a callback
  // that schedules on another shard is then refused by errc::stopped, and does not wait. Later and concurrent calls
  // wait for the first and return nothing. Throws as engine::stop(): from a callback of any of the shards
  // called_from_callback, and nothing has changed; in the child of a fork forked; without memory for the vector
  // out_of_memory, and what it does not return was destroyed unrun.
  std::vector<unfired> stop();
  std::vector<unfired> try_stop(std::error_code& problem) noexcept;
  // Whether all shards are.
  bool stopped() const noexcept;
  // These cover all shards, each at a moment of its own during the call.
  std::size_t pending() const noexcept;
  engine_metrics metrics() const;
  std::vector<pending_timer> list_pending() const;
  const std::string& name() const noexcept { return name_; }

 private:
  friend class sharded_group;
  errc forbids_stop() const noexcept;
  errc stop_all(std::vector<unfired>& left) noexcept;

  std::string name_;
  std::vector<engine> shards_;  // as many as reserved: they never move
  std::shared_ptr<const detail::shard_map> map_;
  std::mutex stopping_;  // for one call of stop() to get all
};

// A group whose timers may be on any shard: a timer_group for each. Its calls go through the shards in turn, so that
// they are of one instant on each shard, and not over all of them. A group whose timers have one key needs none of
// this: timer_group(set.of(key)). As a timer_group, it may outlive the set; and one that has been moved from may be
// destroyed and assigned to, every other call on it prints one line on stderr and aborts.
class sharded_group {
 public:
  // Throws as timer_group; bad_alloc.
  explicit sharded_group(sharded_engine& of, executor* runs_on = nullptr);
  sharded_group(sharded_group&& other) noexcept = default;
  // Ends its own timers first, as the destructor does.
  sharded_group& operator=(sharded_group&& other) noexcept;
  // Ends all parts as ~timer_group does. Every part refuses and cancels before the first is waited for.
  ~sharded_group();

  std::size_t size() const noexcept { return parts().size(); }
  timer_group& operator[](std::size_t index) noexcept { return parts()[index]; }
  template <class Key>
  timer_group& of(const Key& key) noexcept {
    return parts()[shard_of_key(key, parts_.size())];
  }
  timer_group& local() noexcept;

  // After it returns no callback of those scheduled so far starts, on any shard.
  void cancel_all() noexcept;
  // Cancels on all shards before it waits on the first. It also cancels what the members that it waits for schedule in
  // the group, on any shard. From inside a member, it waits for the others of its shard as timer_group does, and for
  // those of the other shards: two members that wait for each other so never end.
  void cancel_all_and_wait() noexcept;
  void pause() noexcept;
  void resume() noexcept;
  std::size_t pending() const noexcept;

 private:
  // Moved from: says so, naming the call, and aborts.
  const std::vector<timer_group>& parts(const char* call = __builtin_FUNCTION()) const noexcept {
    if (parts_.empty()) [[unlikely]]
      detail::used_after_move("sharded_group", call);
    return parts_;
  }
  std::vector<timer_group>& parts(const char* call = __builtin_FUNCTION()) noexcept {
    static_cast<void>(std::as_const(*this).parts(call));
    return parts_;
  }
  void end() noexcept;

  std::vector<timer_group> parts_;
  std::shared_ptr<const detail::shard_map> map_;
};

}  // namespace detent
