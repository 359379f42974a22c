// SPDX-License-Identifier: MIT
// One timer's account. It serves one life after the other, from any thread and without a lock, so that keeping it costs
// less than the engine does. Everything that must not happen to a timer is a failure here.
#pragma once

#include <detent/detent.hpp>

#include <atomic>
#include <cstdint>

namespace stress {

using life_number = std::uint64_t;  // 0: none

// How a timer can end. `unborn`: its schedule call was refused.
enum class outcome : std::uint16_t { fired = 1, cancelled = 2, returned = 4, dropped = 8, unborn = 16 };

class account;

// What a thread remembers of a timer, for as long as it likes.
struct sighting {
  account* of = nullptr;
  life_number life = 0;
  detent::timer handle;
  explicit operator bool() const noexcept { return life != 0; }
};

class alignas(64) account {
 public:
  // --- A life: any thread may open one where there is none; the opener schedules, and says what came of it. ---

  // 0 if it is in use. `before`: how the life before ended. `contended`: restarts do not take turns, so that only the
  // deadline the engine reports is checked.
  life_number open(detent::time_point deadline, bool owning, bool contended = false, outcome* before = nullptr);
  // By the opener: the handle for all, or that the call was refused.
  void scheduled(life_number life, detent::timer made);

  // --- Any thread. ---

  // Nothing unless a life is on, or has just ended, whose handle is known.
  sighting look();
  bool ended(life_number life) const noexcept;
  void end(life_number life, outcome how);
  // Cancels, and accounts for the answer.
  detent::cancel_result cancel(const sighting& seen, bool wait = false);
  // Moves the deadline, and the floor with it. False also where it is another thread's turn.
  bool restart(const sighting& seen, detent::time_point deadline);

  // --- For the callback. ---

  // A run: neither early, nor after an end, nor while nobody may fire.
  void check_run(life_number life, const detent::firing& run);
  // A run that ends the timer. In an `unfired`, it has ended already.
  void fire(life_number life, const detent::firing& run);
  void lose_capture(life_number life);

  // The deadline by which its last run came.
  detent::time_point fired_for() const noexcept;
  // How the last life ended; unborn if there was none. A failure if it has not, or left something behind.
  outcome settle();

  // No run may start from now on: stop() has returned.
  static inline std::atomic<bool> nobody_fires{false};

 private:
  static constexpr unsigned life_shift = 16;
  static constexpr std::uint64_t ended_marks = 31, captured = 32, known = 64, turn = 128, free_for_all = 256;
  static life_number life_of(std::uint64_t word) noexcept { return word >> life_shift; }

  std::atomic<std::uint64_t> word_{static_cast<std::uint64_t>(outcome::unborn)};
  std::atomic<std::uint64_t> handle_[2]{};
  std::atomic<std::int64_t> floor_ns_{0};  // no run may start before it
  std::atomic<std::int64_t> fired_for_ns_{0};
};

}  // namespace stress
