// SPDX-License-Identifier: MIT
// The driver: what one thread at a time touches of an engine, its worker or a caller of poll().
#pragma once

#include "driver/expiry.hpp"
#include "threads/driver_port.hpp"

#include <cstdint>
#include <optional>
#include <utility>

namespace detent::detail {

class driver final : public driver_port, public turn_port {
 public:
  // Throws bad_alloc.
  explicit driver(engine_core& core);
  driver(const driver&) = delete;
  driver& operator=(const driver&) = delete;

  // --- For the driving thread's own calls (driver_port.hpp)
  void insert(node_index index, node& armed) noexcept override {
    agendas_.insert(index, armed, trigger_.keeps_order());
  }
  void reinsert(node_index index, node& armed) noexcept override {
    agendas_.insert_again(index, armed, trigger_.keeps_order());
  }
  void accept(node_index index, node& submitted, std::uint32_t generation) noexcept override {
    agendas_.accept(index, submitted, generation);
  }
  void reap(node_index index, node& cancelled) noexcept override { agendas_.reap(index, cancelled); }
  void note_run(node& running) const noexcept override { running.placed = state_.pass; }
  void count_run() noexcept override { ++state_.ran; }

  // --- The calling thread drives, with its record, from begin() to end()
  void begin(thread_record& mine) noexcept {
    state_.record = &mine;
    core_.threads.set_driving(mine, this);
  }
  void end() noexcept { core_.threads.set_driving(*state_.record, nullptr); }
  alloc::slot_cache& cache() noexcept { return state_.record->cache; }  // the driving thread's
  // A callback on this thread destroyed the engine: end() is all that may follow.
  bool has_ended() const noexcept { return state_.ended; }
  void set_ended() noexcept { state_.ended = true; }

  // --- A turn
  // How many callbacks the executors have run on the driving thread since this was last asked.
  std::size_t take_ran() noexcept { return std::exchange(state_.ran, 0); }
  void answer_bell() noexcept { intake_.answer_bell(); }
  bool has_to_drain() const noexcept {
    return intake_.is_drain_pending() || core_.time.now() >= in_.bell().wake_time();
  }
  void drain_before_firing() noexcept { intake_.drain_before_firing(); }
  // Of the bulk, and of the critical timers, which fire() drains as well.
  void drain_submitted() noexcept { intake_.drain_submitted(); }
  void drain_critical() noexcept { critical_.drain(); }
  void sweep(std::size_t most_members) noexcept {
    if (groups_.is_asked()) sweep_groups(most_members);
  }
  // How many members a sweep should go through at least (group_sweep.hpp).
  std::size_t held_back() const noexcept { return groups_.held_back(); }
  std::size_t fire(nanoseconds_t now, std::size_t max_callbacks, bool polling) {
    return expiry_.fire_pass(now, max_callbacks, polling);
  }
  // Before the end of a wait until then, and at it: the one timer that it is for, without a pass (expiry.hpp).
  void await(nanoseconds_t until) noexcept { expiry_.await(until); }
  bool fire_awaited(nanoseconds_t now) noexcept { return expiry_.fire_awaited(now); }
  void give_up_awaited() noexcept { expiry_.give_up_awaited(); }
  // Drains the older half of a backlog that has grown too large.
  void relieve_backlog(nanoseconds_t now) noexcept;
  // Shows other processes the state of the driver; the wait's figures are the worker's.
  void set_gauges() noexcept;

  // --- Before a wait
  std::optional<nanoseconds_t> next_exact() { return agendas_.next_exact(); }
  bool has_retries() noexcept { return outbox_.has_retries(); }
  nanoseconds_t retry_bound(nanoseconds_t until) noexcept { return entries_.retry_bound(until); }
  nanoseconds_t next() { return entries_.next(); }
  // Returns when the wait ends at the latest; INT64_MIN: now, if something is due already or the engine is stopped.
  nanoseconds_t announce(nanoseconds_t until) noexcept;
  void looked(nanoseconds_t now) noexcept { state_.split.looked(now); }
  void give_back() noexcept { agendas_.give_back(); }          // memory of a past peak
  void wait_begins() noexcept { state_.split.wait_begins(); }  // ends with the next reading of the clock
  // Fetches what a fire takes into the caches.
  void warm_up();

  // Once no thread drives any more.
  void clear_retries() noexcept { outbox_.clear_retries(); }

 private:
  [[gnu::noinline]] void sweep_groups(std::size_t most_members) noexcept;

  engine_core& core_;
  const driver_end in_;
  drive_state state_;
  group_sweep groups_;
  agendas agendas_;
  outbox outbox_;
  trigger trigger_;
  critical_pass critical_;
  drain_port entries_;
  intake<drain_port> intake_;
  expiry expiry_;
};

}  // namespace detent::detail
