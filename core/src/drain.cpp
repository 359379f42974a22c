// SPDX-License-Identifier: MIT
// The driver takes up what was submitted, and files it.
#include "engine_core.hpp"

#include <algorithm>

namespace detent::detail {
namespace {

// Between two looks at the clock while nothing is known to be due.
constexpr std::size_t drain_at_once = 8192;
// How far ahead of its turn an entry's node is fetched, and then what the node links to.
constexpr std::size_t fetch_node_ahead = 24, fetch_links_ahead = 12;

}  // namespace

// Takes at most `limit` entries. True: there was no more.
bool engine_core::drain(std::size_t limit) {
  std::size_t taken = 0;
  bool complete = false;
  while (!complete && taken < limit) {
    std::size_t asked = std::min(batch_.size(), limit - taken);
    std::size_t count = queue_.take(batch_.data(), asked);
    complete = count < asked;
    taken += count;
    if (count == 0) break;
    std::size_t fresh = stale_.keep_fresh(batch_.data(), count);
    take_batch(batch_.data() + fresh, count - fresh);
  }
  last_drain_ = taken;
  if (taken != 0) {
    driver_->counts.add(counter::drains);
    driver_->counts.add(counter::drained, taken);
    fences_.count_pushes(taken);
    look_for_earlier_ = true;
  }
  if (complete) {
    unanswered_ = false;
    backlog_.set_left(0);
    // Relaxed: the ring that came with it was acquired before this drain.
    if (rescan_.load(base::relaxed) && rescan_.exchange(false, base::relaxed)) rescan();
  }
  return complete;
}

// Answers what is unanswered. False: `until` came, or something in the wheel came due, while there was still more.
bool engine_core::drain_completely(nanoseconds_t until) {
  while (unanswered_ && !drain(drain_at_once)) {
    if (time_.now() >= std::min(until, wheel_.next_bound().value_or(forever))) return false;
  }
  return true;
}

// Takes up the older half of a backlog that has grown too large; stops early as drain_completely() does.
void engine_core::relieve(nanoseconds_t until) {
  std::size_t left = queue_.size_approx();
  while (left > backlog_.may_stay() && !drain(std::min(drain_at_once, left - backlog_.may_stay()))) {
    if (time_.now() >= std::min(until, wheel_.next_bound().value_or(forever))) break;
    left = queue_.size_approx();
  }
  backlog_.set_left(queue_.size_approx());
}

void engine_core::take_batch(const std::uint64_t* entries, std::size_t count) noexcept {
  auto fetch_node = [&](std::size_t i) {
    if (i < count) __builtin_prefetch(&node_at(submission::index(entries[i])), 1);
  };
  for (std::size_t i = 0; i < fetch_node_ahead; ++i) fetch_node(i);
  for (std::size_t i = 0; i < fetch_links_ahead && i < count; ++i) prefetch_links(entries[i]);
  for (std::size_t i = 0; i < count; ++i) {
    fetch_node(i + fetch_node_ahead);
    if (i + fetch_links_ahead < count) prefetch_links(entries[i + fetch_links_ahead]);
    take_entry(entries[i]);
  }
}

// Fetches what take_entry() will touch beside the node itself: a guess, as the node may yet change.
void engine_core::prefetch_links(std::uint64_t entry) noexcept {
  node& named = node_at(submission::index(entry));
  if (submission::what(entry) == submission::kind::arm) {
    wheel_.prefetch_insert(submission::index(entry), deadline_of(named.pair));
  } else if (named.location < in_due_queue) {
    if (named.next != no_node) __builtin_prefetch(&node_at(named.next), 1);
    if (named.previous != no_node) __builtin_prefetch(&node_at(named.previous), 1);
  }
}

void engine_core::take_entry(std::uint64_t entry) noexcept {
  node_index index = submission::index(entry);
  node& named = node_at(index);
  if (submission::what(entry) == submission::kind::arm) {
    take_up_submitted(index, named, submission::generation(entry));
    return;
  }
  std::uint64_t word = observe(named.pair);
  if (state_word::generation(word) == submission::generation(entry) &&
      state_word::state(word) == timer_state::cancelled)
    reap(index, named);
}

void engine_core::take_up_submitted(node_index index, node& submitted, std::uint32_t generation) noexcept {
  switch (take_up(submitted.pair, generation)) {
    case take_up_result::armed: file(index, submitted); return;
    case take_up_result::moved:
      if (submitted.location != in_due_queue) {
        wheel_.unlink(submitted);
        file(index, submitted);
        return;
      }
      // Its entry in the due queue finds the new deadline by itself; only an earlier place is needed now. If there is
      // no memory for it, the old place has to do.
      if (deadline_of(submitted.pair) <= pass_now_) {
        place_in_due_queue(index, submitted, state_word::order(observe(submitted.pair)), deadline_of(submitted.pair),
                           true);
      }
      return;
    case take_up_result::current:
    case take_up_result::stale: return;
  }
}

// A node that a canceller left to the driver.
void engine_core::reap(node_index index, node& cancelled) noexcept {
  if (cancelled.location == in_due_queue) return;  // freed when its turn comes
  if (cancelled.location != nowhere) wheel_.unlink(cancelled);
  free_node(*driver_, index, cancelled);
}

// Looks at every node for what an entry would have told.
void engine_core::rescan() noexcept {
  node_index end = pool_.carved();
  for (node_index index = 0; index < end; ++index) {
    node& each = node_at(index);
    std::uint64_t word = observe(each.pair);
    timer_state state = state_word::state(word);
    if (state == timer_state::queued || (state == timer_state::armed && (word & state_word::unfiled) != 0))
      take_up_submitted(index, each, state_word::generation(word));
    bool forgotten = state == timer_state::cancelled && (word & state_word::emptied) != 0 && each.location == nowhere;
    if (forgotten) free_node(*driver_, index, each);
  }
}

void engine_core::file(node_index index, node& armed) noexcept {
  nanoseconds_t deadline = deadline_of(armed.pair);
  if (polling_ && deadline <= pass_now_ && armed.placement != pass_stamp_ &&
      place_in_due_queue(index, armed, state_word::order(observe(armed.pair)), deadline, true)) {
    return;
  }
  wheel_.insert(index, armed, deadline);
}

// `now`: among what fires in this pass; else with the next batch. False: no memory.
bool engine_core::place_in_due_queue(node_index index, node& armed, std::uint32_t order, nanoseconds_t deadline,
                                     bool now) noexcept {
  std::uint32_t placement = (placements_ + 1) % first_pass_stamp;
  due_entry entry{.deadline = deadline, .order = order, .index = index, .placement = placement};
  if (!(now ? due_.insert(entry) : due_.collect(entry))) return false;
  armed.location = in_due_queue;
  armed.placement = placements_ = placement;
  return true;
}

// For wheel::expire: takes what is due into the next batch, frees what was cancelled, leaves the rest to be filed anew.
bool engine_core::take_due(node_index index, node& filed) noexcept {
  if (drop_if_cancelled(index, filed)) return true;
  std::uint64_t word = observe(filed.pair);
  nanoseconds_t deadline = deadline_of(filed.pair);
  // A restart in between makes order and deadline of different armings; fire_next() tells by the order.
  return deadline <= pass_now_ && place_in_due_queue(index, filed, state_word::order(word), deadline, false);
}

// Takes a cancelled node out, and frees it unless its canceller is still emptying it: then a reap entry is coming.
bool engine_core::drop_if_cancelled(node_index index, node& filed) noexcept {
  std::uint64_t word = observe(filed.pair);
  if (state_word::state(word) != timer_state::cancelled) return false;
  if (filed.location != nowhere) wheel_.unlink(filed);
  if ((word & state_word::emptied) != 0) free_node(*driver_, index, filed);
  return true;
}

// The earliest deadline that the driver knows of.
std::optional<nanoseconds_t> engine_core::next_exact() {
  std::optional<nanoseconds_t> left_over = next_left_over();
  std::optional<nanoseconds_t> filed =
      wheel_.next_exact([this](node_index index, node& each) { return drop_if_cancelled(index, each); });
  if (!left_over || !filed) return left_over ? left_over : filed;
  return std::min(*left_over, *filed);
}

// Of what a bounded poll left in the due queue; takes out what was cancelled or restarted meanwhile.
std::optional<nanoseconds_t> engine_core::next_left_over() {
  while (!due_.empty()) {
    const due_entry entry = due_.front();
    node& named = node_at(entry.index);
    if (is_newest(entry, named)) {
      std::uint64_t word = observe(named.pair);
      nanoseconds_t deadline = deadline_of(named.pair);
      bool cancelled = state_word::state(word) == timer_state::cancelled;
      if (!cancelled && state_word::order(word) == entry.order && deadline == entry.deadline) return deadline;
      named.location = nowhere;
      if (!drop_if_cancelled(entry.index, named)) wheel_.insert(entry.index, named, deadline);
    }
    due_.pop();
  }
  // Due, but without a place in the queue for want of memory: nobody may wait.
  return due_.has_unsealed() ? std::optional(pass_now_) : std::nullopt;
}

bool engine_core::is_newest(const due_entry& entry, const node& named) noexcept {
  return named.location == in_due_queue && named.placement == entry.placement;
}

}  // namespace detent::detail
