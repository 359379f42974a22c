// SPDX-License-Identifier: MIT
// The driver: the part of an engine that one thread at a time touches, its worker or a caller of poll().
#pragma once

#include <detent/base/compiler.hpp>

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
    const std::uint64_t word = observe(armed.pair);
    timers.of(index, word).insert(index, armed, word, fires.keeps_order());
  }
  void reinsert(node_index index, node& armed) noexcept override {
    const std::uint64_t word = observe(armed.pair);
    timers.of(index, word).insert_again(index, armed, word, fires.keeps_order());
  }
  void accept(node_index index, node& submitted, std::uint32_t generation) noexcept override {
    timers.of(index, observe(submitted.pair)).accept(index, submitted, generation);
  }
  void reap(node_index index, node& cancelled) noexcept override {
    timers.of(index, observe(cancelled.pair)).reap(index, cancelled);
  }
  void note_run(node& running) const noexcept override { running.placed = state.pass; }
  void count_run() noexcept override { ++state.ran; }

  // --- The calling thread drives, with its record, from begin() to end()
  void begin(thread_record& mine) noexcept {
    state.record = &mine;
    core_.threads.set_driving(mine, this);
  }
  void end() noexcept { core_.threads.set_driving(*state.record, nullptr); }
  // A callback on this thread destroyed the engine. Only end() may follow.
  bool has_ended() const noexcept { return state.ended; }
  void set_ended() noexcept { state.ended = true; }

  // --- A turn
  // How many callbacks the executors have run on the driving thread since the last call.
  std::size_t take_ran() noexcept { return std::exchange(state.ran, 0); }
  bool has_to_drain() const noexcept { return drains.is_drain_pending() || core_.time.now() >= in_.bell().wake_time(); }
  void sweep(std::size_t most_members) noexcept {
    if (groups.is_asked()) sweep_groups(most_members);
  }
  // Drains the older half of a backlog that has grown too large.
  void relieve_backlog(nanoseconds_t now) noexcept;
  // Shows the state of the driver to other processes; the wait's figures come from the worker.
  void set_gauges() noexcept;

  // --- Before a wait
  // Returns the latest time at which the wait ends. INT64_MIN: now, because something is due already or the engine is
  // stopped.
  nanoseconds_t announce(nanoseconds_t until) noexcept;
  // Fetches the memory that a fire needs into the caches.
  void warm_up();

 private:
  DETENT_NOINLINE void sweep_groups(std::size_t most_members) noexcept;

  engine_core& core_;
  const driver_end in_;

 public:
  // --- The parts, which are made in this order. The driving thread goes to the one that it needs: worker.cpp,
  // poll.cpp.
  drive_state state;
  group_sweep groups;
  agendas timers;
  outbox offers;
  trigger fires;
  critical_pass critical;
  drain_port entries;
  intake<drain_port> drains;
  expiry pass;
};

}  // namespace detent::detail
