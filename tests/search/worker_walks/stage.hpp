// SPDX-License-Identifier: MIT
// Real threads, of which one moves at a time, on a time of their own: a worker, and producers that call its engine.
// A director says how many steps each may take. A step is an operation through which threads meet, or a
// reading of the clock. steady_clock is the stage's in the whole program.
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

// By the kernel's clock, which the stage leaves alone.
ns real_time() noexcept;
// By the one of the stage; no step.
ns stage_now() noexcept;

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
    idle,   // a producer that has nothing to do
    moves,  // in the middle of something
    waits,  // a producer in the middle of a call, for another thread
    sleeps  // the worker, in the kernel
  };
  actor() = default;
  actor(const actor&) = delete;
  actor& operator=(const actor&) = delete;

 private:
  friend class stage;
  turn turn_;
  std::uint64_t steps_ = 0;  // that it may still take
  bool counts_all_ = true;   // or those of the doorbell alone
  state state_ = state::idle;
  const std::function<void()>* call_ = nullptr;
  hooks::watcher watcher_;
  std::thread thread_;
};

// The director's thread makes it, calls it, and ends it.
class stage final : private hooks::futexes {
 public:
  // On the worker: `on_step` just before each of its steps, on_sleep(until) when it falls asleep.
  struct ears {
    std::function<void(const hooks::site*)> on_step;  // null: a reading of the clock
    std::function<void(ns until)> on_sleep;
  };
  // Each reading of the clock on the worker takes `reading_takes`.
  stage(unsigned producers, ns begin, ns reading_takes, ears heard_by);
  ~stage();
  stage(const stage&) = delete;
  stage& operator=(const stage&) = delete;

  ns now() const noexcept;
  void set_time(ns later) noexcept;

  // On the worker's thread, inside a callback: from here on the director moves it. Waits for that.
  void admit_worker();
  // The director waits until that has happened.
  void wait_for_worker() { director_.await(); }
  // Lets it take at most so many steps, or so many of the doorbell's, until it sleeps. Does nothing while it sleeps and
  // neither a wake-up nor its time has come.
  void move_worker(std::uint64_t steps, bool of_the_bell = false);
  // Asleep, until then.
  std::optional<ns> worker_sleeps_until() const noexcept;
  bool is_woken() const noexcept { return woken_; }
  // On the worker: no other thread moves during the work.
  void undisturbed(const std::function<void()>& work);
  // A spurious wake-up.
  void disturb_worker() noexcept { woken_ = true; }
  // It moves by itself from now on, and sleeps in the kernel until a thread rings.
  void release_worker();

  actor::state state_of(unsigned producer) const noexcept { return producers_[producer]->state_; }
  // Begins a call on that thread, which is idle, or goes on with the one that it is in; for at most so many steps.
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
  std::uint8_t sleep(const void* word, std::uint32_t expected, std::int64_t deadline) noexcept;

  const ns reading_takes_;
  ears ears_;
  turn director_;
  actor worker_;
  bool worker_is_free_ = true;
  // Where the worker sleeps.
  const void* asleep_at_ = nullptr;
  ns asleep_until_ = 0;
  bool woken_ = false;
  bool telling_ = false;  // what that does is no step
  bool leaving_ = false;
  std::vector<std::unique_ptr<actor>> producers_;
};

}  // namespace detent::worker_walks
