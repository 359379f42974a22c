// SPDX-License-Identifier: MIT
// One timer's account. It serves one life after the other, from any thread and without a lock, so that keeping it costs
// less than the engine does. Everything that must not happen to a timer is a failure here.
#pragma once

#include <detent/detent.hpp>

#include <array>
#include <atomic>
#include <cstdint>

namespace stress {

using life_number = std::uint64_t;  // 0: none

// How a life ends. A silent one ends with its capture, which says nothing of how. `unborn`: the call was refused.
enum class outcome : std::uint16_t { fired = 1, cancelled = 2, returned = 4, silent = 8, unborn = 16 };

// Which deadline a run must have. `exact`: that of the last restart accepted, as restarts take turns. `contended`: one
// of those accepted, as they do not. `loose`: any, because periods, pauses and slack move it.
enum class deadline_rule : std::uint8_t { exact, contended, loose };

class account;

// A thread's memory of a timer, for as long as it likes.
struct sighting {
  account* of = nullptr;
  life_number life = 0;
  detent::timer handle;
  // As the life was opened.
  bool silent = false, loose = false;
  explicit operator bool() const noexcept { return life != 0; }
};

// Shared by all accounts of one engine.
struct engine_facts {
  detent::duration tick{1};
  std::atomic<bool> stopped{false};  // stop() has returned
};

struct shared_group;

// The action of a callable besides ending its life. The opener of a life writes it before it schedules.
struct role {
  std::uint64_t most_runs = 1;              // 0: no limit
  detent::duration rearm{0};                // mostly runs again so much later
  bool ends_itself = false;                 // some runs cancel their own timer
  bool calls_back = false;                  // the destructor does
  const std::atomic<bool>* gate = nullptr;  // runs for as long as this says true
  const shared_group* group = nullptr;
  std::uint64_t era = 0;  // of the group
};

class alignas(64) account {
 public:
  // --- A life: any thread may open one where there is none; the opener schedules, and says what came of it. ---

  // 0 if it is in use. `before`: how the life before ended.
  life_number open(detent::time_point deadline, deadline_rule rule, bool owning, bool silent, outcome& before);
  // By the opener: the handle for all, or that the call was refused.
  void scheduled(life_number life, detent::timer made);
  role& part() noexcept { return part_; }
  const role& part() const noexcept { return part_; }
  void serve(engine_facts& facts) noexcept { facts_ = &facts; }
  bool engine_stopped() const noexcept { return facts_->stopped.load(std::memory_order_acquire); }

  // --- Any thread. ---

  // Nothing unless a life is on, or has just ended, whose handle is known.
  sighting look();
  bool ended(life_number life) const noexcept;
  void end(life_number life, outcome how);
  // Cancels, and accounts for the answer.
  detent::cancel_result cancel(const sighting& seen, bool wait = false);
  // Moves the deadline. False also where it is another thread's turn.
  bool restart(const sighting& seen, detent::time_point deadline);

  // --- For the callable. ---

  // A run begins: neither early, nor after an end, nor inside another run. False for that of an `unfired_timer`.
  bool begin_run(life_number life, const detent::firing& run);
  bool is_inside() const noexcept { return (word_.load(std::memory_order_acquire) & inside) != 0; }
  void end_run();
  void lose_capture(life_number life);
  // By a run that has cancelled its timer.
  void run_no_more() noexcept { part_.most_runs = runs_of_life_; }

  // --- While no thread uses it. ---

  // How the last life ended; unborn if there was none. A failure if it has not, or left something behind.
  outcome settle() const;
  std::uint64_t runs() const noexcept { return runs_; }

 private:
  static constexpr unsigned life_shift = 20, users_shift = 13;
  static constexpr std::uint64_t ended_marks = 31, captured = 32, known = 64, turn = 128, contended = 256, loose = 512,
                                 ends_silently = 1024, inside = 2048, closed = 4096,
                                 user = std::uint64_t{1} << users_shift,  // of up to 127
      users = 127 * user;
  static constexpr std::int64_t none = INT64_MIN;
  static life_number life_of(std::uint64_t word) noexcept { return word >> life_shift; }

  bool enter(life_number life) noexcept;  // it cannot be opened again before leave()
  void leave() noexcept { word_.fetch_sub(user, std::memory_order_acq_rel); }
  bool restart_in_turn(detent::timer& handle, std::uint64_t word, detent::time_point deadline, bool& moved);
  bool restart_among_others(detent::timer& handle, life_number life, detent::time_point deadline, bool& moved);
  std::int64_t rounded(detent::time_point deadline) const noexcept;
  void check_deadline(std::uint64_t word) const;

  std::atomic<std::uint64_t> word_{static_cast<std::uint64_t>(outcome::unborn)};
  std::atomic<std::uint64_t> handle_[2]{};
  engine_facts* facts_ = nullptr;
  // Not atomic, so that overlapping runs, or a wait that a run overlaps, are data races.
  std::uint64_t runs_ = 0, runs_of_life_ = 0;
  std::int64_t fired_for_ = none;
  role part_;
  // As the engine rounds them: the last one of an exact life, all of a contended one.
  std::array<std::atomic<std::int64_t>, 12> accepted_{};
  std::atomic<std::uint32_t> accepted_count_{0};
};

}  // namespace stress
