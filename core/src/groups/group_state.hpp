// SPDX-License-Identifier: MIT
// A timer group as the engine knows it, which members check before they start. Its clock is read as by a seqlock.
#pragma once

#include <detent/base/atomic.hpp>
#include "timer/node.hpp"

#include "groups/group_roster.hpp"
#include "groups/group_time.hpp"
#include "platform/clock_reader.hpp"

#include <array>
#include <cstdint>

namespace detent::detail {

class group_store;
class groups_end;

// Any thread; the driver has an end of its own (driver/groups_end.hpp). Lives as long as the core. It is reused when
// nothing refers to it any more: the group's owner, each pending member, each run, and a request to the driver hold a
// reference each.
//
// A group has a time of its own, which stops while the group is paused. Its members' deadlines are kept in that time,
// so that one store shifts them all. Its epoch says which members are cancelled: those of an earlier epoch, and all of
// them once the group has ended.
class group_state {
 public:
  void add_reference() noexcept;
  // For a caller that holds no reference and may have come too late. Returns false if there is no reference, and all
  // members have ended.
  [[nodiscard]] bool hold() noexcept;
  // Returns true if it was the last one.
  [[nodiscard]] bool drop_reference() noexcept;

  // Converts time on the engine's clock to the group's, and back: to never, while the group is paused.
  group_time to_group_time(nanoseconds_t t, const clock_reader& time) const noexcept;
  nanoseconds_t to_engine_time(group_time t) const noexcept;
  // The engine's time less the group's at this moment.
  group_offset offset(const clock_reader& time) const noexcept;
  bool paused() const noexcept;
  // Relaxed: a caller that reads it after a member's time knows whether that was shifted already.
  bool was_paused() const noexcept { return clock_.low.load(base::relaxed) != 0; }
  // These return false if it was paused already, or was not paused.
  bool pause(const clock_reader& time) noexcept { return turn(true, time); }
  // The caller's next step, to have the driver drain, is ordered after this.
  bool resume(const clock_reader& time) noexcept;
  // A hand-over whose turn comes while the group is paused goes back to the driver. From then on all others go back as
  // well, paused or not, until the driver has gathered them, because they would overtake the first.
  bool takes_back() const noexcept { return is_scattered() || paused(); }
  // (13) acquire: pairs with (14), so that a thread which finds the members gathered finds each one where it is since.
  bool is_scattered() const noexcept { return gathered_.load(base::acquire) != goings_.load(base::acquire); }
  // A hand-over is about to go back; the caller makes the driver sweep.
  void scatter() noexcept { goings_.fetch_add(1, base::release); }  // (13) pairs with (14)
  // Prepares for the next group in this place: no stale handle counts as a member, and time goes on.
  void begin_next() noexcept;

  // The epoch of a new member. (12) acquire: pairs with (5), so that a caller that finds the epoch which an awaited
  // cancel has begun finds that one awaited, too.
  std::uint32_t epoch() const noexcept { return static_cast<std::uint32_t>(epoch_.load(base::acquire)); }
  bool is_cancelled(std::uint32_t epoch) const noexcept;
  // Cancels the members of all epochs so far.
  void begin_epoch() noexcept;
  // begin_epoch() for a caller that waits for running members until end_awaited_cancel(). Timers that these schedule
  // here until then are cancelled as well.
  void begin_awaited_cancel() noexcept;
  void end_awaited_cancel() noexcept {
    awaited_.fetch_sub(1, base::relaxed);
  }  // relaxed: no member that it concerns runs
  // To be called after epoch(). Relaxed: (12) decides.
  bool is_cancel_awaited() const noexcept { return awaited_.load(base::relaxed) != 0; }
  // Cancels the members of all epochs, for good. Returns false if it had ended.
  bool end() noexcept;
  // Relaxed: a caller that must not miss the end finds its timer cancelled.
  bool has_ended() const noexcept { return (epoch_.load(base::relaxed) & ended) != 0; }
  // Counts a pending member, with a reference.
  void join() noexcept;
  [[nodiscard]] bool leave() noexcept;
  // Returns whether most of the members that the driver knows have left.
  bool has_left_traces() const noexcept {
    return roster_.too_stale(pending()) && !requested_.load(base::relaxed);  // relaxed: asking twice does no harm
  }
  std::uint64_t pending() const noexcept { return pending_.load(base::relaxed); }  // relaxed: a mere answer

  // A member is about to start; the caller holds a reference until after end_run(). Returns false if the member has
  // been cancelled. Either begin_epoch()'s caller sees this run and waits for it, or the run sees the new epoch.
  bool begin_run(std::uint32_t epoch) noexcept;
  void end_run(std::uint32_t epoch) noexcept;
  // Waits until no more runs than `own`, by parity of their epochs, are under way.
  void wait_for_runs(const std::array<std::uint32_t, 2>& own) noexcept;

  // Asks for the driver's attention. Returns false if it has been requested already. (7) acq_rel: with the answer in
  // groups_end.
  bool request() noexcept { return !requested_.exchange(true, base::acq_rel); }
  // The common object for all parts of a sharded group; otherwise this group itself. Set before the first member is
  // scheduled.
  const group_state* head = this;

 private:
  friend class group_store;
  friend class groups_end;

  // In epoch_, above the epoch's 32 bits: makes the whole unequal to any epoch.
  static constexpr std::uint64_t ended = std::uint64_t{1} << 32;
  std::uint64_t begin_epoch(std::uint64_t flag) noexcept;
  void restart_time() noexcept;

  // How often the clock was stopped or went on again: odd while it is paused. The value is the group's offset, or its
  // own time while it is paused.
  struct clock_reading {
    std::uint64_t turns;
    nanoseconds_t value;
    bool is_paused() const noexcept { return (turns & 1) != 0; }
  };
  clock_reading read_clock() const noexcept;
  bool turn(bool stand_still, const clock_reader& time) noexcept;

  // Used by the driver, or by the holder of the only reference: the members, and the next group in the list of
  // requests, or, once no reference is left, in the list of groups to be used again.
  group_roster roster_;
  group_state* next_ = nullptr;
  base::atomic_pair clock_;
  base::atomic<std::uint64_t> swept_turns_{0};
  base::atomic<std::uint64_t> epoch_{0};
  base::atomic<std::uint32_t> references_{0};
  base::atomic<std::uint64_t> pending_{0};
  std::array<base::atomic<std::uint32_t>, 2> runs_{};
  base::atomic<std::uint32_t> waiters_{0};
  base::atomic<std::uint32_t> awaited_{0};               // cancels that wait
  base::atomic<std::uint32_t> goings_{0}, gathered_{0};  // of hand-overs that went back, how many are gathered
  base::atomic<bool> requested_{false};
};

// Both are inlined, because each run of a member calls them several times.
inline group_state::clock_reading group_state::read_clock() const noexcept {
  for (;;) {
    const std::uint64_t turns = clock_.low.load(base::acquire);  // (2) acquire: pairs with (3)
    // (2): so that a thread that finds a later value here also finds the later count below.
    const auto value = static_cast<nanoseconds_t>(clock_.high.load(base::acquire));
    if (clock_.low.load(base::relaxed) == turns) return {turns, value};  // relaxed: after (2)
  }
}

inline nanoseconds_t group_state::to_engine_time(group_time t) const noexcept {
  const clock_reading clock = read_clock();
  return clock.is_paused() ? forever : later_by(group_offset{clock.value}, t);
}

// One run of a member, from before its start to after its end. Empty for a timer without a group.
class group_run {
 public:
  group_run() noexcept = default;
  group_run(const group_run&) = delete;
  group_run& operator=(const group_run&) = delete;
  ~group_run() {
    if (group_ != nullptr) [[unlikely]]
      end();
  }
  // Returns false if the member has been cancelled, and no thread waits for this.
  bool begin(group_state& group, std::uint32_t epoch, group_store& store) noexcept;
  group_state* group() const noexcept { return group_; }

 private:
  void end() noexcept;

  group_state* group_ = nullptr;
  group_store* store_ = nullptr;
  std::uint32_t epoch_ = 0;
};

}  // namespace detent::detail
