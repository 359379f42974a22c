// SPDX-License-Identifier: MIT
// The driver takes up what was submitted, and files it.
#include "engine/engine_core.hpp"
#include "observe/probes.hpp"

#include <algorithm>

namespace detent::detail {
namespace {

// Entries that mean something, between two looks at the clock.
constexpr std::size_t slice = 64;
constexpr std::size_t most_before_firing = 4096;
// Rung for something that far ahead, the driver leaves a queue of more than so many entries alone until shortly before.
constexpr nanoseconds_t look_ahead = 2'000'000;
constexpr std::size_t worth_leaving = 4096;
// How far ahead of its turn an entry's node is fetched, and then what the node links to.
constexpr std::size_t fetch_node_ahead = 24, fetch_links_ahead = 12;

}  // namespace

void engine_core::answer_bell() noexcept {
  debt_.answer(bell_, [this](nanoseconds_t rung) -> nanoseconds_t {
    const bool far = options_.drive == drive_kind::worker && subtract_saturated(rung, time_.now()) > 2 * look_ahead;
    // A drain now would file the many that are cancelled before that time: it is early enough to look then.
    return far && queue_.size_approx() > worth_leaving ? look_ahead : 0;
  });
}

// Takes up a slice. True: there is no more, nor was there when this was last owed.
bool engine_core::drain_slice() noexcept {
  if (batch_next_ == batch_end_ && !take_batch()) return end_drain();
  debt_.note_filing();
  const std::size_t end = std::min(batch_next_ + slice, batch_end_);
  for (; batch_next_ != end; ++batch_next_) {
    if (batch_next_ + fetch_node_ahead < batch_end_)
      __builtin_prefetch(&node_at(submission::index(batch_[batch_next_ + fetch_node_ahead])), 1);
    if (batch_next_ + fetch_links_ahead < batch_end_) prefetch_links(batch_[batch_next_ + fetch_links_ahead]);
    take_entry(batch_[batch_next_]);
  }
  return batch_next_ == batch_end_ && debt_.is_covered() && end_drain();
}

// Entries came out of the queue.
void engine_core::note_taken(std::size_t count) noexcept {
  ledger_.split.drain_begins();
  probes::drain(this, count);
  driver_->counts.add(counter::drains);
  driver_->counts.add(counter::drained, count);
  fences_.count_pushes(count);
}

// The next entries, those first that came out of the queue before; without those that later ones among them have
// overtaken. False: there are none.
bool engine_core::take_batch() noexcept {
  batch_searched_ = 0;
  std::size_t count = 0;
  if (!set_aside_.empty()) [[unlikely]] {
    count = set_aside_.take(batch_.data(), batch_.size());
    debt_.note_batch(batch_.size(), batch_.size());  // the queue may hold more
    ledger_.split.drain_begins();
  } else {
    count = queue_.take(batch_.data(), batch_.size());
    debt_.note_batch(count, batch_.size());
    if (count == 0) return false;
    note_taken(count);
  }
  batch_next_ = stale_.keep_fresh(batch_.data(), count);
  batch_end_ = count;
  for (std::size_t i = batch_next_; i < std::min(batch_next_ + fetch_node_ahead, batch_end_); ++i)
    __builtin_prefetch(&node_at(submission::index(batch_[i])), 1);
  for (std::size_t i = batch_next_; i < std::min(batch_next_ + fetch_links_ahead, batch_end_); ++i)
    prefetch_links(batch_[i]);
  return true;
}

bool engine_core::end_drain() noexcept {
  backlog_.set_left(0);
  if (debt_.pay(rescan_)) rescan();
  return true;
}

// Takes up all that was submitted before; of what a flood adds meanwhile, not much more than once as much. A few
// instructions if there is nothing.
void engine_core::drain_submitted() noexcept {
  std::size_t submitted = queue_.size_approx();
  if (submitted == 0 && batch_next_ == batch_end_ && !rescan_.is_made()) return;
  drain_much(submitted);
}

void engine_core::drain_much(std::size_t submitted) noexcept {
  if (!polling_) ledger_.split.looked_again(time_.now());  // what is late now was submitted late
  debt_.owe();
  for (std::size_t slices = 2 * submitted / slice + 1024; slices != 0 && !drain_slice();) --slices;
}

// Whether the clock has come to where there is something to fire, or to `until`.
bool engine_core::is_due(nanoseconds_t until) const noexcept {
  return time_.now() >= std::min(until, wheel_.next_bound().value_or(forever));
}

// Takes up everything. False: something came due, `until` came, or a group asks for a look, while there was still more.
bool engine_core::drain_completely(nanoseconds_t until) noexcept {
  while (!drain_slice()) {
    if (is_due(until) || groups_.is_asked()) return false;
  }
  return true;
}

// Takes up what may have to fire in order with what is due: a few thousand entries, unless something known before comes
// due meanwhile.
void engine_core::drain_before_firing() noexcept {
  nanoseconds_t known = wheel_.next_bound().value_or(forever);
  const nanoseconds_t now = time_.now();
  if (now >= known) known = next_filed().value_or(forever);  // a slot may begin long before what it holds is due
  const bool late = now >= known;
  ledger_.split.looked(now);
  for (std::size_t slices = most_before_firing / slice; slices != 0 && !drain_slice(); --slices) {
    if (!late && time_.now() >= known) return;
  }
}

// Takes up the older half of a backlog that has grown too large; stops early as drain_completely() does.
void engine_core::relieve(nanoseconds_t until) noexcept {
  std::size_t left = queue_.size_approx();
  while (left > backlog_.may_stay() && !drain_slice() && !is_due(until)) left = queue_.size_approx();
  backlog_.set_left(queue_.size_approx());
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
      place_if_due(index, submitted, observe(submitted.pair), true);
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
    if (index % stretch == stretch - 1 && options_.drive == drive_kind::worker) overtake(this);
  }
}

void engine_core::file(node_index index, node& armed) noexcept {
  const std::uint64_t word = observe(armed.pair);
  const bool cold = (word & state_word::cold) != 0;
  if (cold && nodes_.group_of(index) != nullptr) [[unlikely]]
    enrol(index, word);
  const nanoseconds_t kept = deadline_of(armed.pair), deadline = cold ? nodes_.due_time(index, word, kept) : kept;
  if (base::counts_causes && ledger_.split.is_late(deadline) && armed.placement != pass_stamp_) [[unlikely]]
    armed.placement = ledger_.split.placement();
  // What has run in this pass does not do so again, and comes with the next.
  if (polling_ && armed.placement != pass_stamp_ && place_if_due(index, armed, word, true)) return;
  if (!cold) [[likely]]
    return wheel_.insert(index, armed, kept);
  put_in_wheel(index, armed, word, nodes_.filing_time(index, armed));
}

// Its lane's.
void engine_core::put_in_wheel(node_index index, node& armed, std::uint64_t word, nanoseconds_t time) noexcept {
  if (nodes_.lane(index, word) == 0) [[likely]]
    return wheel_.insert(index, armed, time);
  wheel_.insert_critical(index, armed, time);
}

// Into the due queue, if it is due: `now` among what fires in this pass, else with the next batch. The deadline is read
// once: between two looks a restart could make it another. False: not due, or no memory.
bool engine_core::place_if_due(node_index index, node& armed, std::uint64_t word, bool now) noexcept {
  const nanoseconds_t deadline = deadline_of(armed.pair);
  if (nodes_.filing_time(index, word, deadline) > pass_now_) return false;
  const std::uint32_t placement = next_entry(placements_);
  due_entry entry{.deadline = nodes_.due_time(index, word, deadline),
                  .order = state_word::order(word),
                  .index = index,
                  .placement = placement};
  entry.taken_up = ledger_.split.taken_up(armed.placement, entry.deadline);
  const std::uint8_t lane = nodes_.lane(index, word);
  if (!(now ? due_.insert(lane, entry) : due_.collect(lane, entry))) return false;
  armed.location = in_due_queue;
  armed.placement = placements_ = placement;
  return true;
}

// Takes what is due into the next batch, frees what was cancelled, leaves the rest to be filed anew.
bool engine_core::take_out_due(node_index index, node& filed) noexcept {
  std::uint64_t word = observe(filed.pair);
  if (state_word::state(word) == timer_state::cancelled) [[unlikely]]
    return drop_if_cancelled(index, filed);
  // A restart in between makes order and deadline of different armings; fire_next() tells by the order.
  return place_if_due(index, filed, word, false);
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
  std::optional<nanoseconds_t> left_over = next_left_over(), filed = next_filed();
  if (!left_over || !filed) return left_over ? left_over : filed;
  return std::min(*left_over, *filed);
}

// That of what is in the wheel.
std::optional<nanoseconds_t> engine_core::next_filed() {
  return wheel_.next_exact([this](node_index index, node& each) { return drop_if_cancelled(index, each); });
}

// A bound of what a bounded poll left in the due queue; takes out what was cancelled or restarted meanwhile.
std::optional<nanoseconds_t> engine_core::next_left_over() {
  while (!due_.empty()) {
    const due_entry entry = due_.front();
    node& named = node_at(entry.index);
    if (is_newest(entry, named)) {
      std::uint64_t word = observe(named.pair);
      bool cancelled = state_word::state(word) == timer_state::cancelled;
      if (!cancelled && is_as_collected(entry, named, word)) return due_.earliest();
      named.location = nowhere;
      if (!drop_if_cancelled(entry.index, named))
        put_in_wheel(entry.index, named, word, nodes_.filing_time(entry.index, named));
    }
    due_.pop();
  }
  return std::nullopt;
}

// Whether it has not been moved since it was placed in the due queue.
bool engine_core::is_as_collected(const due_entry& entry, const node& named, std::uint64_t word) const noexcept {
  return state_word::order(word) == entry.order &&
         nodes_.due_time(entry.index, word, deadline_of(named.pair)) == entry.deadline;
}

bool engine_core::is_newest(const due_entry& entry, const node& named) noexcept {
  return named.location == in_due_queue && named.placement == entry.placement;
}

}  // namespace detent::detail
