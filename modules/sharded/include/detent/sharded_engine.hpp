// SPDX-License-Identifier: MIT
// Several engines under one name: a key, the calling thread or a number selects one. docs/sharding.md says whether to
// use it, and with how many engines.
#pragma once

#include <detent/detail/bulk.hpp>
#include <detent/detail/place.hpp>
#include <detent/detail/shard_shares.hpp>
#include <detent/engine.hpp>
#include <detent/timer_group.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <ranges>
#include <span>
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
  // The name of the set. Its shards are called NAME/0, NAME/1 and so on, in errors, counters and metrics. A worker's
  // thread has as much of NAME as leaves room for the number in 15 characters. Default: "detent".
  std::string name = "detent";
  // How many engines, 1 to 1,024. Required.
  std::size_t shards = 0;
  // The options of each shard; `max_pending`, `reserve` and executors are per shard too. The set fills in `name` and
  // `shard`, and `cpu` comes from the option below. If `counters_file` or `record` is a path, each shard has PATH.0,
  // PATH.1 and so on; for a `record` PATH.gz, each has PATH.0.gz, PATH.1.gz and so on. With drive = caller, the loop
  // that calls poll() of (*this)[i] drives shard i.
  engine_options each = {};
  // Shard i's worker is pinned to cpus[i]; as many as shards. Default: empty, no worker is pinned.
  std::vector<int> cpus = {};
  // Binds shard i's memory to the NUMA node of cpus[i], as memory_options::numa_node does. Default: off.
  bool node_local = false;
};

// Returns the number of the shard for a key with this hash. Fibonacci hashing (Knuth, TAOCP 6.4) spreads whole numbers
// that count up more evenly than chance, for most steps too, and random ones as evenly as chance.
constexpr std::size_t shard_of_hash(std::uint64_t hash, std::size_t shards) noexcept {
  hash ^= hash >> 32;
  hash *= 0x9e3779b97f4a7c15u;
  return static_cast<std::size_t>((hash >> 32) * shards >> 32);
}

// Gives a key the same shard in every thread of a process, and a whole number or an enumerator the same one in every
// process. A string is the same key in any string type; other types go by std::hash.
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
// shard. A timer's handle is the same, and may be used from any thread. An engine's promises about its timers hold for
// those of a shard: they run in the order of their deadlines, and one at a time if they run inline. There is no order
// between shards.
class sharded_engine {
 public:
  static constexpr std::size_t most_shards = 1024;

  // Throws detent::error, naming the option, the value and the cure. Throws what engine's constructor throws, and
  // bad_alloc.
  explicit sharded_engine(sharded_options options);
  // Null: `problem` has the code and the sentence of that exception.
  static std::unique_ptr<sharded_engine> try_create(sharded_options options, failure& problem) noexcept;
  sharded_engine(const sharded_engine&) = delete;
  sharded_engine& operator=(const sharded_engine&) = delete;
  // Closes all shards, stops them, and destroys unrun what was pending. Must not be called by a callback of one of its
  // shards, as an engine's may be: that shard could not be stopped before the first is gone, and its other callbacks
  // may look for any shard.
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

  // The shard of the key. It is the same for as long as the set exists, from any thread, before and after stop(). So
  // callbacks of a key that run inline never overlap, and run in the order of their deadlines. Some nanoseconds, no
  // lock.
  template <class Key>
  engine& of(const Key& key) noexcept {
    return shards_[index_of(key)];
  }
  template <class Key>
  std::size_t index_of(const Key& key) const noexcept {
    return shard_of_key(key, size());
  }
  // The shard that this thread is bound to, else that of the CPU where the thread runs. It goes by the CPU's position
  // among those that the process could use when the set was made, and not by its number, because a mask may leave only
  // numbers that are alike. If there are more shards than CPUs, a CPU's shards are dealt out to the threads. For timers
  // that belong to no key. Some 5 ns.
  engine& local() noexcept { return shards_[local_index()]; }
  std::size_t local_index() const noexcept;
  // From now on local() of this set returns that shard in this thread. For a loop that drives it, and for a thread that
  // is pinned. The last call counts, and a thread may be bound in several sets. It stays bound to its very end:
  // destructors of its thread-local objects, and on the main thread of static ones, find and may change it. Throws
  // invalid_option, bad_alloc.
  void bind_this_thread(std::size_t index);

  // --- All of them

  // Closes each shard: engine::close().
  void close() noexcept;
  // Returns every timer of all shards that had not ended, once each. All shards are closed before the first is waited
  // for, so a callback that schedules on another shard is refused with errc::stopped, and does not wait. Later and
  // concurrent calls wait for the first and return nothing. Throws as engine::stop(): called_from_callback in a
  // callback of any of the shards, and nothing has changed; forked in the child of a fork; out_of_memory if there is no
  // memory for the vector, and then what it does not return was destroyed unrun.
  std::vector<unfired_timer> stop();
  std::vector<unfired_timer> try_stop(failure& problem) noexcept;
  // Lets what is pending on any shard fire for at most that long, one time for all, or until nothing is pending; then
  // does the same as stop(). Otherwise as engine::drain_for().
  std::vector<unfired_timer> drain_for(detail::whole_duration at_most);
  // Whether all shards are stopped.
  bool stopped() const noexcept;

  // Makes one label for all shards; each counts its own timers with it. If a shard has a label of that name already, it
  // reports that one where it names a timer's label. Throws as engine::make_label(), naming the shard. Some shards may
  // know the label then, and a later call goes on.
  label make_label(std::string_view name);
  // Schedules one timer for each deadline, on the shard of the key in the same place, but no more than `out` has room
  // for. `f` is called as f(index) or f(firing&, index), and the handle goes to the same place of `out`. One
  // publication and at most one wake-up a shard. Returns how many were scheduled. If capacity or memory ran out on a
  // shard, handles of that shard are empty. If none were scheduled, throws as engine::schedule_at_bulk(). Throws
  // invalid_option if keys and deadlines are not as many, or if a shard cannot meet the options, and bad_alloc; then
  // none were scheduled. If a shard is stopped during the call, its handles may be in each other's places.
  template <std::ranges::random_access_range Keys, class F>
  std::size_t schedule_at_bulk(const Keys& keys, std::span<const time_point> deadlines, F&& f, std::span<timer> out,
                               timer_options options = {}, origin where = origin::current());
  // Cancels timers of any shards, and returns how many this call cancelled. As engine::cancel_bulk().
  std::size_t cancel_bulk(std::span<const timer> timers) noexcept;

  // These cover all shards, each at a moment of its own during the call.
  std::size_t pending() const noexcept;
  engine_metrics metrics() const;
  // The metrics of the timers with that label, as engine::metrics(label).
  engine_metrics metrics(label of) const;
  std::vector<pending_timer> list_pending() const;
  const std::string& name() const noexcept { return name_; }

 private:
  friend class sharded_group;
  errc forbids_stop() const noexcept;
  errc stop_all(std::vector<unfired_timer>& left) noexcept;
  [[noreturn]] void refuse_stop(const char* call, errc problem) const;
  void check_bulk(std::size_t keys, std::size_t deadlines) const;
  template <class Share, class Made>
  std::size_t schedule_shares(detail::shard_shares& of, const Made& made, std::span<timer> out,
                              const timer_options& options, const origin& where);

  std::string name_;
  std::uint32_t number_;        // of the set
  std::vector<engine> shards_;  // reserved in full, so they never move
  std::shared_ptr<const detail::shard_map> map_;
  std::mutex stopping_;  // for one call of stop() to get all timers
  std::mutex labelling_;
  std::vector<std::string> labels_;  // in the order of their numbers in the set
};

namespace detail {
template <class Keys>
std::size_t count_of(const Keys& keys) {
  std::size_t count = 0;  // libc++ 14 has no ranges::distance()
  for (auto each = std::ranges::begin(keys); each != std::ranges::end(keys); ++each) ++count;
  return count;
}
}  // namespace detail

template <std::ranges::random_access_range Keys, class F>
std::size_t sharded_engine::schedule_at_bulk(const Keys& keys, std::span<const time_point> deadlines, F&& f,
                                             std::span<timer> out, timer_options options, origin where) {
  using callable = std::decay_t<F>;
  static_assert(detail::bulk_callback<callable>, "a callback for many is called as f(index) or as f(firing&, index)");
  check_bulk(detail::count_of(keys), deadlines.size());
  detail::shard_shares of((std::min)(deadlines.size(), out.size()), size());
  auto key = std::ranges::begin(keys);
  for (std::size_t place = 0; place != of.places(); ++place, ++key) of.put(place, index_of(*key));
  of.sort(deadlines);
  if constexpr (fits_inline<detail::own_share<callable>> && std::is_nothrow_copy_constructible_v<callable>) {
    const callable& made = f;
    return schedule_shares<detail::own_share<callable>>(of, made, out, options, where);
  } else {
    return schedule_shares<detail::common_share<callable>>(of, std::make_shared<callable>(std::forward<F>(f)), out,
                                                           options, where);
  }
}

template <class Share, class Made>
std::size_t sharded_engine::schedule_shares(detail::shard_shares& of, const Made& made, std::span<timer> out,
                                            const timer_options& options, const origin& where) {
  static_assert(fits_inline<Share>);
  for (std::size_t shard = 0; shard != size(); ++shard)
    if (!of.of(shard).places.empty()) detail::check_options(*detail::timer_access::core(shards_[shard]), options);
  struct context {
    const Made& made;
    const std::size_t* places;
  };
  const auto fill = [](void* from, void* capture, std::size_t index) noexcept {
    const auto& each = *static_cast<const context*>(from);
    ::new (capture) Share{each.made, each.places[index]};
  };
  std::size_t scheduled = 0;
  errc problem{};
  const detail::engine_core* refusing = nullptr;  // the shard that the problem is of
  for (std::size_t shard = 0; shard != size(); ++shard) {
    const detail::shard_shares::part part = of.of(shard);
    if (part.places.empty()) continue;
    context each{made, part.places.data()};
    detail::engine_core& core = *detail::timer_access::core(shards_[shard]);
    const detail::bulk_result done = detail::schedule_many(
        core, part.deadlines, {fill, &each, detail::inline_callable<Share>::ops}, part.made, options, where);
    for (std::size_t i = 0; i != part.places.size(); ++i)
      out[part.places[i]] = i < done.scheduled ? part.made[i] : timer();
    scheduled += done.scheduled;
    if (done.problem == errc{}) continue;
    problem = done.problem;
    refusing = &core;
  }
  const bool ran_out = problem == errc::capacity_exceeded || problem == errc::out_of_memory;
  if (scheduled == 0 && problem != errc{} && !ran_out) detail::throw_schedule_error(*refusing, problem, options);
  return scheduled;
}

// A group whose timers may be on any shard: a timer_group for each. Its calls go through the shards in turn, so they
// are of one instant on each shard, but not over all of them. A group whose timers have one key does not need this:
// timer_group(set.of(key)). Like a timer_group, it may outlive the set. One that has been moved from may be destroyed
// and assigned to; every other call on it prints one line on stderr and aborts.
class sharded_group {
 public:
  // Throws as timer_group, and bad_alloc.
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

  // After it returns, no callback that was scheduled before starts, on any shard.
  void cancel_all() noexcept;
  // Cancels on all shards before it waits on the first. It also cancels the timers that the members it waits for
  // schedule in the group, on any shard. In a member, it waits for the other members of its shard as timer_group does,
  // and for those of the other shards: two members that wait for each other in this way never end.
  void cancel_all_and_wait() noexcept;
  void pause() noexcept;
  void resume() noexcept;
  std::size_t pending() const noexcept;

 private:
  // Prints the name of the call and aborts if the group has been moved from.
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
