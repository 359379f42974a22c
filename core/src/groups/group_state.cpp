// SPDX-License-Identifier: MIT
#include "groups/group_state.hpp"

#include "groups/group_store.hpp"

#include <climits>
#include <utility>

namespace detent::detail {

void group_state::add_reference() noexcept {
  // (8) release: a thread that adds one holds one already; for hold(), which finds one of a later generation.
  references_.fetch_add(1, base::release);
}

bool group_state::drop_reference() noexcept {
  base::show_release(&references_);
  // (1) acq_rel: pairs with itself: the last sees all they did
  if (references_.fetch_sub(1, base::acq_rel) != 1) return false;
  base::show_acquire(&references_);
  return true;
}

bool group_state::hold() noexcept {
  std::uint32_t references = references_.load(base::relaxed);  // relaxed: the exchange confirms it
  do {
    if (references == 0) return false;
    // (8) acquire: after what re-initialised the state, if it was reused.
  } while (!references_.compare_exchange_weak(references, references + 1, base::acquire, base::relaxed));
  return true;
}

// The readings of the clock are certain ones: what is left of a delay must not shrink.
group_offset group_state::offset(const clock_reader& time) const noexcept {
  const clock_reading clock = read_clock();
  return {clock.is_paused() ? subtract_saturated(time.certain(), clock.value) : clock.value};
}

group_time group_state::to_group_time(nanoseconds_t t, const clock_reader& time) const noexcept {
  return earlier_by(offset(time), t);
}

bool group_state::paused() const noexcept { return read_clock().is_paused(); }

// Now less its offset is its own time, and now less its own time is its offset.
bool group_state::turn(bool stand_still, const clock_reader& time) noexcept {
  for (;;) {
    const clock_reading clock = read_clock();
    if (clock.is_paused() == stand_still) return false;
    const nanoseconds_t value = subtract_saturated(time.certain(), clock.value);
    // (3) seq_cst, both halves: pairs with (2).
    if (clock_.compare_exchange({clock.turns, static_cast<std::uint64_t>(clock.value)},
                                {clock.turns + 1, static_cast<std::uint64_t>(value)}))
      return true;
  }
}

bool group_state::resume(const clock_reader& time) noexcept {
  if (!turn(false, time)) return false;
  base::full_fence();  // (9) pairs with (3) of ring_if_resumed()
  return true;
}

void group_state::restart_time() noexcept {
  const clock_reading clock = read_clock();
  // (3): no other thread turns it, but old handles may read it.
  clock_.compare_exchange({clock.turns, static_cast<std::uint64_t>(clock.value)}, {(clock.turns | 1) + 1, 0});
}

bool group_state::is_cancelled(std::uint32_t epoch) const noexcept {
  return epoch_.load(base::seq_cst) != epoch;  // (4) seq_cst: see (5)
}

// The next one, with `flag` above it; returns what was there before.
std::uint64_t group_state::begin_epoch(std::uint64_t flag) noexcept {
  std::uint64_t found = epoch_.load(base::relaxed);  // relaxed: the exchange confirms it
  for (;;) {
    const std::uint64_t flags = (found & ended) | flag;
    // (5) seq_cst: before the read of runs_ in (6), as the start's count is before (4); and pairs with (12). Failure
    // relaxed: it is tried again.
    if (epoch_.compare_exchange_weak(found, flags | static_cast<std::uint32_t>(found + 1), base::seq_cst,
                                     base::relaxed))
      return found;
  }
}

void group_state::begin_epoch() noexcept { begin_epoch(0); }

void group_state::begin_awaited_cancel() noexcept {
  awaited_.fetch_add(1, base::relaxed);  // relaxed: published by (5)
  begin_epoch(0);
}

bool group_state::end() noexcept { return (begin_epoch(ended) & ended) == 0; }

void group_state::begin_next() noexcept {
  // Relaxed: no other thread changes it, and the next group's owner gets it by (11) and (10).
  epoch_.store(static_cast<std::uint32_t>(epoch_.load(base::relaxed) + 1), base::relaxed);
  gathered_.store(goings_.load(base::relaxed), base::relaxed);  // relaxed, both: as above
  head = this;
  restart_time();
  swept_turns_.store(read_clock().turns, base::relaxed);  // relaxed: as above
}

void group_state::join() noexcept {
  pending_.fetch_add(1, base::relaxed);  // relaxed: a count that protects nothing
  add_reference();
}

bool group_state::leave() noexcept {
  pending_.fetch_sub(1, base::relaxed);  // relaxed: as in join()
  return drop_reference();
}

bool group_state::begin_run(std::uint32_t epoch) noexcept {
  runs_[epoch & 1].fetch_add(1, base::seq_cst);  // (5): before (4)
  return !is_cancelled(epoch);
}

void group_state::end_run(std::uint32_t epoch) noexcept {
  base::atomic<std::uint32_t>& runs = runs_[epoch & 1];
  base::show_release(&runs_);
  runs.fetch_sub(1, base::seq_cst);  // (6) seq_cst: releases the run to waiting threads; before the read of waiters_
  if (waiters_.load(base::seq_cst) != 0) base::futex_wake(runs, INT_MAX);  // (6)
}

void group_state::wait_for_runs(const std::array<std::uint32_t, 2>& own) noexcept {
  waiters_.fetch_add(1, base::seq_cst);  // (6): before the read of runs_
  for (std::size_t parity = 0; parity < runs_.size(); ++parity) {
    for (;;) {
      std::uint32_t runs = runs_[parity].load(base::seq_cst);  // (6): with the end's and, after (5), with the start's
      if (runs <= own[parity]) break;
      base::futex_wait(runs_[parity], runs, forever);
    }
  }
  base::show_acquire(&runs_);
  waiters_.fetch_sub(1, base::relaxed);  // relaxed: a wake too many does no harm
}

bool group_run::begin(group_state& group, std::uint32_t epoch, group_store& store) noexcept {
  if (!group.hold()) return false;
  group_ = &group;
  store_ = &store;
  epoch_ = epoch;
  if (group.begin_run(epoch)) return true;
  end();  // at once: what dies with the member may wait for the group's runs
  group_ = nullptr;
  return false;
}

void group_run::end() noexcept {
  group_->end_run(epoch_);
  store_->drop_reference(*group_);
}

group_state& group_store::make() {
  std::lock_guard lock(mutex_);
  // (10) acquire: pairs with (11).
  if (unused_ == nullptr) unused_ = returned_.exchange(nullptr, base::acquire);
  if (unused_ == nullptr) {
    all_.push_back(std::make_unique<group_state>());
    unused_ = all_.back().get();
  }
  group_state& made = *std::exchange(unused_, unused_->next_);
  made.add_reference();
  return made;
}

// No reference is left: the next group takes its roster, with what the driver has not dropped yet.
void group_store::take_back(group_state& group) noexcept {
  group.roster_.forget();
  group.begin_next();
  group_state* head = returned_.load(base::relaxed);  // relaxed: (11) decides
  do {
    group.next_ = head;
    // (11) release: pairs with (10).
  } while (!returned_.compare_exchange_weak(head, &group, base::release, base::relaxed));
}

bool group_store::request(group_state& group) noexcept {
  if (!group.request()) return false;
  group.add_reference();
  group_state* head = requests_.load(base::relaxed);  // relaxed: (1) decides
  do {
    group.next_ = head;
    // (1) release: pairs with (2).
  } while (!requests_.compare_exchange_weak(head, &group, base::release, base::relaxed));
  // (3) release: pairs with (4). An exchange, so that it comes after an answer which has not seen this request.
  asked_.exchange(true, base::release);
  return true;
}

}  // namespace detent::detail
