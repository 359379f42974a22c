// SPDX-License-Identifier: MIT
#pragma once

#include <detent/executor.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace detent {

struct keyed_pool_options {
  // How many threads, 1 to 65,536. Default: 1.
  std::size_t threads = 1;
  // How much work may wait, at least 1. execute() refuses more. Default: 65,536.
  std::size_t queue_capacity = 65536;
  // Thread i is pinned to cpus[i % size]. Default: empty, no thread is pinned.
  std::vector<int> cpus = {};
  // The threads' name, cut to 15 characters. Default: "detent-keyed".
  std::string name = "detent-keyed";
  // The key of a timer. Called on the engine's thread at each hand-over; must not throw. Default: empty, the key is the
  // timer's tag, so all timers without a tag have the key 0.
  std::function<std::uint64_t(const fired_timer&)> key_of = {};
  // How many queues the keys are hashed to, 1 to 65,536, rounded up to a power of two; 32 bytes each. Keys of one queue
  // wait for each other. Consecutive keys share no queue as long as there are fewer of them than a third of this.
  // Default: 1,024.
  std::size_t strands = 1024;
};

// A fixed set of threads that runs callbacks of one key one after the other, in the order in which they were handed
// over, which is that of their deadlines for each engine. Callbacks of different keys run at once on different threads.
// A slow callback delays its own key. It delays other keys only if they share its strand, or if every thread is busy. A
// callback must not wait for one of another key, because the two may share a strand.
//
// A timer that is refused waits in its engine and is offered again, in order, also under refusal_policy::run_inline:
// run there, it could overlap its key. The destructor runs no more work. It drops what waits, which its engine counts,
// and waits for what runs.
class keyed_pool final : public executor {
 public:
  // Throws error, naming the option and the value: invalid_option, not_permitted if a CPU is denied, limit_reached if
  // there are too many threads for the user or the control group. Throws bad_alloc.
  explicit keyed_pool(keyed_pool_options = {});
  keyed_pool(const keyed_pool&) = delete;
  keyed_pool& operator=(const keyed_pool&) = delete;
  ~keyed_pool() override;

  // False when the pool's queue is full.
  bool execute(fired_timer&& work) noexcept override;
  std::size_t execute_many(std::span<fired_timer> work) noexcept override;
  bool keeps_order() const noexcept override { return true; }
  // How much work waits, for all engines. Any thread; takes the pool's lock.
  std::size_t queued() const noexcept;

 private:
  struct state;
  std::shared_ptr<state> state_;
};

}  // namespace detent
