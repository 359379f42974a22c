// SPDX-License-Identifier: MIT
// The orders here: what one thread says of a life (release) is known to a thread that sees the word (acquire).
#include "support/account.hpp"

#include "support/runner.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace stress {

using detent::detail::to_ns;

life_number account::open(detent::time_point deadline, bool owning, bool contended, outcome* before) {
  std::uint64_t word = word_.load(std::memory_order_acquire);
  constexpr auto never_born = static_cast<std::uint64_t>(outcome::unborn);
  // Not before the opener of the last life is done with it.
  if ((word & ended_marks) == 0 || (word & (captured | turn)) != 0 || (word & (known | never_born)) == 0) return 0;
  const life_number life = life_of(word) + 1;
  const std::uint64_t opened = life << life_shift | (owning ? captured : 0) | (contended ? free_for_all : 0);
  if (!word_.compare_exchange_strong(word, opened, std::memory_order_acq_rel)) return 0;
  if (before != nullptr) *before = static_cast<outcome>(word & ended_marks);
  floor_ns_.store(to_ns(deadline), std::memory_order_release);
  return life;
}

void account::scheduled(life_number life, detent::timer made) {
  if (!made) {
    require((word_.load(std::memory_order_acquire) & captured) == 0, "a refused call kept its callable");
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
  return {this, life_of(word), std::bit_cast<detent::timer>(halves)};
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
                                     : "a timer was dropped that had ended");
  require(how != outcome::cancelled || (before & captured) == 0, "a cancelled timer's captures are still there");
}

detent::cancel_result account::cancel(const sighting& seen, bool wait) {
  detent::timer handle = seen.handle;
  const bool stale = ended(seen.life);
  const detent::cancel_result result = wait ? handle.cancel_and_wait() : handle.cancel();
  if (result == detent::cancel_result::cancelled) {
    require(!stale, "a stale handle cancelled something");
    end(seen.life, outcome::cancelled);
  }
  return result;
}

bool account::restart(const sighting& seen, detent::time_point deadline) {
  detent::timer handle = seen.handle;
  std::uint64_t word = word_.load(std::memory_order_acquire);
  const bool stale = life_of(word) != seen.life || (word & ended_marks) != 0;
  const bool exact = !stale && (word & free_for_all) == 0;
  std::int64_t wanted = to_ns(deadline);
  if (exact) {
    if ((word & turn) != 0 || !word_.compare_exchange_strong(word, word | turn, std::memory_order_acq_rel))
      return false;
    // Until the restart is known to have worked, either deadline may be the one in force.
    floor_ns_.store(std::min(floor_ns_.load(std::memory_order_relaxed), wanted), std::memory_order_release);
  } else if (!stale) {
    // Whose restart comes last is not known: from the first of them on, the engine's own word has to do.
    floor_ns_.store(INT64_MIN, std::memory_order_release);
  }
  const bool moved = handle.restart_at(deadline);
  require(!moved || !stale, "a stale handle restarted something");
  if (exact) {
    if (moved) floor_ns_.store(wanted, std::memory_order_release);
    word_.fetch_and(~turn, std::memory_order_acq_rel);
  }
  return moved;
}

void account::check_run(life_number life, const detent::firing& run) {
  const std::uint64_t word = word_.load(std::memory_order_acquire);
  const std::int64_t now = to_ns(detent::clock::now());
  require(life_of(word) == life && (word & ended_marks) == 0, "a timer ran that had ended");
  require(!nobody_fires.load(std::memory_order_acquire), "a timer ran although the engine was stopped");
  require(now >= to_ns(run.deadline()) && run.lateness() >= detent::duration(0), "a timer ran before its deadline");
  require(now >= floor_ns_.load(std::memory_order_acquire), "a timer ran before the deadline it was restarted to");
  fired_for_ns_.store(to_ns(run.deadline()), std::memory_order_release);
}

void account::fire(life_number life, const detent::firing& run) {
  if (!run.self()) {  // an unfired timer's: its runner has ended the life
    require(ended(life), "a timer ran without a handle");
    return;
  }
  check_run(life, run);
  end(life, outcome::fired);
}

void account::lose_capture(life_number life) {
  const std::uint64_t before = word_.fetch_and(~captured, std::memory_order_acq_rel);
  require(life_of(before) == life && (before & captured) != 0, "a capture was destroyed twice");
}

detent::time_point account::fired_for() const noexcept {
  return detent::detail::to_time(fired_for_ns_.load(std::memory_order_acquire));
}

outcome account::settle() {
  const std::uint64_t word = word_.load(std::memory_order_acquire);
  require((word & ended_marks) != 0, "a timer was lost");
  require((word & captured) == 0, "a capture was left behind");
  return static_cast<outcome>(word & ended_marks);
}

}  // namespace stress
