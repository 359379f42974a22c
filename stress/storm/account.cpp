// SPDX-License-Identifier: MIT
// The orders here: what one thread says of a life (release) is known to a thread that sees the word (acquire).
#include "storm/account.hpp"

#include "storm/runner.hpp"

#include <algorithm>
#include <bit>

namespace stress {

using detent::detail::to_ns;

life_number account::open(detent::time_point deadline, deadline_rule rule, bool owning, bool silent, outcome& before) {
  std::uint64_t word = word_.load(std::memory_order_acquire);
  constexpr auto never_born = static_cast<std::uint64_t>(outcome::unborn);
  // Only once the opener of the last life, its run and its users are done with it.
  if ((word & ended_marks) == 0 || (word & (captured | turn | users | inside)) != 0 ||
      (word & (known | never_born)) == 0)
    return 0;
  const life_number life = life_of(word) + 1;
  const std::uint64_t opened = life << life_shift | (owning ? captured : 0) | (silent ? ends_silently : 0) |
                               (rule == deadline_rule::contended ? contended
                                : rule == deadline_rule::loose   ? loose
                                                                 : 0);
  if (!word_.compare_exchange_strong(word, opened, std::memory_order_acq_rel)) return 0;
  check_deadline(word);
  before = static_cast<outcome>(word & ended_marks);
  part_ = {};
  runs_of_life_ = 0;
  fired_for_ = none;
  accepted_[0].store(rounded(deadline), std::memory_order_release);
  accepted_count_.store(1, std::memory_order_release);
  return life;
}

void account::scheduled(life_number life, detent::timer made) {
  if (!made) {
    require((word_.load(std::memory_order_acquire) & captured) == 0, "a refused call kept its callable");
    // The end of the capture was the end of a silent life.
    word_.fetch_and(~ended_marks, std::memory_order_acq_rel);
    return end(life, outcome::unborn);
  }
  const auto halves = std::bit_cast<std::array<std::uint64_t, 2>>(made);
  handle_[0].store(halves[0], std::memory_order_release);
  handle_[1].store(halves[1], std::memory_order_release);
  word_.fetch_or(known, std::memory_order_acq_rel);
}

sighting account::look() {
  const std::uint64_t word = word_.load(std::memory_order_acquire);
  if ((word & known) == 0) return {};
  const std::array halves{handle_[0].load(std::memory_order_acquire), handle_[1].load(std::memory_order_acquire)};
  if (life_of(word_.load(std::memory_order_acquire)) != life_of(word)) return {};
  return {this, life_of(word), std::bit_cast<detent::timer>(halves), (word & ends_silently) != 0, (word & loose) != 0};
}

bool account::ended(life_number life) const noexcept {
  const std::uint64_t word = word_.load(std::memory_order_acquire);
  return life_of(word) != life || (word & ended_marks) != 0;
}

void account::end(life_number life, outcome how) {
  const std::uint64_t before = word_.fetch_or(static_cast<std::uint64_t>(how), std::memory_order_acq_rel);
  if (life_of(before) != life || (before & ended_marks) != 0) [[unlikely]]
    fail(how == outcome::fired       ? "a timer fired that had ended"
         : how == outcome::cancelled ? "a timer was cancelled that had ended"
         : how == outcome::returned  ? "a timer was returned that had ended"
                                     : "a timer was refused that had ended");
  require(how != outcome::cancelled || (before & captured) == 0, "a cancelled timer's captures are still there");
}

bool account::enter(life_number life) noexcept {
  std::uint64_t word = word_.load(std::memory_order_acquire);
  do {
    if (life_of(word) != life || (word & users) == users) return false;
  } while (!word_.compare_exchange_weak(word, word + user, std::memory_order_acq_rel));
  return true;
}

detent::cancel_result account::cancel(const sighting& seen, bool wait) {
  detent::timer handle = seen.handle;
  const bool stale = ended(seen.life);
  const bool entered = wait && enter(seen.life);
  const detent::cancel_result result = wait ? handle.cancel_and_wait() : handle.cancel();
  if (result == detent::cancel_result::cancelled) {
    require(!stale, "a stale handle cancelled something");
    if (!seen.silent) end(seen.life, outcome::cancelled);
  }
  if (wait) require(!handle.pending() && !handle.restart_after({}), "a timer is alive after cancel_and_wait()");
  if (entered) {
    // Before the atomic operation, which would order it behind a run that is still on.
    require(part_.most_runs == 0 || runs_of_life_ <= part_.most_runs, "more runs than were asked for");
    const std::uint64_t word = word_.fetch_or(closed, std::memory_order_acq_rel);
    require((word & inside) == 0, "cancel_and_wait() returned during a run");
    leave();
  }
  return result;
}

bool account::restart(const sighting& seen, detent::time_point deadline) {
  detent::timer handle = seen.handle;
  const std::uint64_t word = word_.load(std::memory_order_acquire);
  const bool stale = life_of(word) != seen.life || (word & ended_marks) != 0;
  const bool over = engine_stopped();
  bool moved = false;
  if (stale || (word & loose) != 0) {
    moved = handle.restart_at(deadline);
  } else if ((word & contended) != 0 ? !restart_among_others(handle, seen.life, deadline, moved)
                                     : !restart_in_turn(handle, word, deadline, moved)) {
    return false;
  }
  require(!moved || !stale, "a stale handle restarted something");
  require(!moved || !over, "a timer was restarted after stop()");
  return moved;
}

bool account::restart_in_turn(detent::timer& handle, std::uint64_t word, detent::time_point deadline, bool& moved) {
  if ((word & turn) != 0 || !word_.compare_exchange_strong(word, word | turn, std::memory_order_acq_rel)) return false;
  moved = handle.restart_at(deadline);
  if (moved) accepted_[0].store(rounded(deadline), std::memory_order_release);
  word_.fetch_and(~turn, std::memory_order_acq_rel);
  return true;
}

bool account::restart_among_others(detent::timer& handle, life_number life, detent::time_point deadline, bool& moved) {
  if (!enter(life)) return false;
  const std::uint32_t at = accepted_count_.fetch_add(1, std::memory_order_acq_rel);
  if (at < accepted_.size()) {
    accepted_[at].store(none, std::memory_order_release);
    moved = handle.restart_at(deadline);
    if (moved) accepted_[at].store(rounded(deadline), std::memory_order_release);
  }
  leave();
  return at < accepted_.size();
}

std::int64_t account::rounded(detent::time_point deadline) const noexcept {
  const std::int64_t ns = to_ns(deadline), tick = to_ns(detent::time_point(facts_->tick)), past = ns % tick;
  return past == 0 ? ns : ns + (tick - past);
}

bool account::begin_run(life_number life, const detent::firing& run) {
  if (!run.self()) {  // an unfired timer's: its runner has ended the life
    require(ended(life), "a timer ran without a handle");
    return false;
  }
  const std::uint64_t word = word_.fetch_or(inside, std::memory_order_acq_rel);
  require(life_of(word) == life && (word & ended_marks) == 0, "a timer ran that had ended");
  require((word & inside) == 0, "two runs of one timer overlap");
  require((word & closed) == 0, "a callback ran after cancel_and_wait() had returned");
  require(!engine_stopped(), "a timer ran although the engine was stopped");
  require(detent::clock::now() >= run.deadline() && run.lateness() >= detent::duration(0),
          "a timer ran before its deadline");
  ++runs_;
  ++runs_of_life_;
  require(part_.most_runs == 0 || runs_of_life_ <= part_.most_runs, "more runs than were asked for");
  fired_for_ = to_ns(run.deadline());
  if ((word & ends_silently) == 0) end(life, outcome::fired);
  return true;
}

void account::end_run() {
  require(!engine_stopped(), "stop() returned during a run");
  require((word_.fetch_and(~inside, std::memory_order_acq_rel) & inside) != 0, "two runs of one timer overlap");
}

void account::lose_capture(life_number life) {
  std::uint64_t word = word_.load(std::memory_order_acquire);
  std::uint64_t after = 0;
  do {
    require(life_of(word) == life && (word & captured) != 0, "a capture was destroyed twice");
    after = word & ~captured;
    if ((word & ends_silently) != 0 && (word & ended_marks) == 0) after |= static_cast<std::uint64_t>(outcome::silent);
  } while (!word_.compare_exchange_weak(word, after, std::memory_order_acq_rel));
}

void account::check_deadline(std::uint64_t word) const {
  if ((word & loose) != 0 || fired_for_ == none) return;
  const auto count = std::min<std::size_t>(accepted_count_.load(std::memory_order_acquire), accepted_.size());
  const bool found = std::any_of(accepted_.begin(), accepted_.begin() + count, [this](const auto& each) {
    return each.load(std::memory_order_acquire) == fired_for_;
  });
  require(found, (word & contended) != 0 ? "a timer fired for a deadline that was never accepted"
                                         : "a timer fired, but not for its last accepted deadline");
}

outcome account::settle() const {
  const std::uint64_t word = word_.load(std::memory_order_acquire);
  require((word & ended_marks) != 0, "a timer was lost");
  require((word & captured) == 0, "a capture was left behind");
  check_deadline(word);
  return static_cast<outcome>(word & ended_marks);
}

}  // namespace stress
