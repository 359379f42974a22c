// SPDX-License-Identifier: MIT
// Real threads, of which one moves at a time, on a clock of their own: a worker, and producers that call its engine. A
// director says how many steps each may take. A step is an operation through which threads meet, or a reading of the
// clock. In the whole program steady_clock is the clock of the stage.
#pragma once

#include <search/meetings/hooks.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

namespace detent::worker_walks {

using ns = std::int64_t;
inline constexpr std::uint64_t to_the_end = UINT64_MAX;

// Returns the time by the kernel's clock, which the stage leaves alone.
ns real_time() noexcept;
// Returns the time by the clock of the stage. The call is no step.
ns stage_now() noexcept;

// If an actor of the stage calls it, no other thread moves during the work.
void undisturbed(const std::function<void()>& work);

// A thread waits for its turn in the kernel. std::binary_semaphore yields first, which on a busy machine costs a turn
// of every other process.
class turn {
 public:
  void give() noexcept;
  void await() noexcept;

 private:
  std::atomic<std::uint32_t> given_{0};
};

// A thread that moves only when the director lets it.
class actor {
 public:
  enum class state : std::uint8_t {
    idle,   // a producer has nothing to do
    moves,  // it is in the middle of something
    waits,  // a producer in the middle of a call waits for another thread
    sleeps  // the worker sleeps in the kernel
  };
  actor() = default;
  actor(const actor&) = delete;
  actor& operator=(const actor&) = delete;

 private:
  friend class stage;
  friend void undisturbed(const std::function<void()>& work);
  turn turn_;
  std::uint64_t steps_ = 0;  // how many it may still take
  bool counts_all_ = true;   // otherwise only steps at the doorbell count
  state state_ = state::idle;
  const std::function<void()>* call_ = nullptr;
  hooks::watcher watcher_;
  std::thread thread_;
};

// The director's thread makes it, calls it, and ends it.
class stage final : private hooks::futexes {
 public:
  // Called on the worker: on_step() just before each of its steps, on_sleep(until) when it falls asleep.
  struct ears {
    std::function<void(const hooks::site*)> on_step;  // gets null for a reading of the clock
    std::function<void(ns until)> on_sleep;
  };
  // Each reading of the clock on the worker takes `reading_takes`.
  stage(unsigned producers, ns begin, ns reading_takes, ears heard_by);
  ~stage();
  stage(const stage&) = delete;
  stage& operator=(const stage&) = delete;

  ns now() const noexcept;
  void set_time(ns later) noexcept;

  // To be called on the worker's thread, inside a callback. From here on the director moves the worker. Waits until it
  // does.
  void admit_worker();
  // The director waits until the worker has been admitted.
  void wait_for_worker() { director_.await(); }
  // Lets the worker take at most so many steps, or so many at the doorbell, until it sleeps. Does nothing if it sleeps,
  // its time has not come and no thread has woken it.
  void move_worker(std::uint64_t steps, bool of_the_bell = false);
  // Returns until when the worker sleeps, if it does.
  std::optional<ns> worker_sleeps_until() const noexcept;
  bool is_woken() const noexcept { return woken_; }
  // Causes a spurious wake-up.
  void disturb_worker() noexcept { woken_ = true; }
  // From now on the director does this work where it would sleep for some time.
  void nap_by(std::function<void(ns length)> work) { nap_ = std::move(work); }
  // From now on the worker moves by itself, and sleeps in the kernel until a thread rings.
  void release_worker();

  actor::state state_of(unsigned producer) const noexcept { return producers_[producer]->state_; }
  // begin() makes a call on that thread, which is idle, and go_on() continues it; each for at most so many steps.
  void begin(unsigned producer, const std::function<void()>& call, std::uint64_t steps);
  void go_on(unsigned producer, std::uint64_t steps);

 private:
  std::uint8_t wait(const void* word, std::uint32_t expected, std::int64_t deadline) noexcept override;
  void wake(void* word, int waiters) noexcept override;
  friend ns read_clock() noexcept;
  void play(actor& producer);
  void give_turn(actor& to, std::uint64_t steps);
  void yield(actor& mine) noexcept;
  void step(actor& mine, hooks::operation what, bool of_the_bell) noexcept;
  ns read(actor& by) noexcept;
  void tell(const hooks::site* where);
  friend bool take_nap(ns length);
  std::uint8_t sleep(const void* word, std::uint32_t expected, std::int64_t deadline) noexcept;

  const ns reading_takes_;
  std::function<void(ns)> nap_;
  ears ears_;
  turn director_;
  actor worker_;
  bool worker_is_free_ = true;
  // The futex at which the worker sleeps.
  const void* asleep_at_ = nullptr;
  ns asleep_until_ = 0;
  bool woken_ = false;
  bool telling_ = false;  // on_step() runs, whose own operations are no steps
  bool leaving_ = false;
  std::vector<std::unique_ptr<actor>> producers_;
};

}  // namespace detent::worker_walks
