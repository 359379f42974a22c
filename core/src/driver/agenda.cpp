// SPDX-License-Identifier: MIT
#include "driver/agenda.hpp"

#include "limits.hpp"

#include <algorithm>
#include <bit>

namespace detent::detail {

DETENT_COLD agenda::agenda(engine_core& core, drive_state& drive, group_sweep& groups, kind of)
    : core_(core),
      drive_(drive),
      groups_(groups),
      nodes_(core.nodes),
      kind_(of),
      wheel_(nodes_, core.ticks, core.time.now(), of == kind::bulk && core.options.wheel == wheel_kind::hashed,
             std::bit_ceil(core.options.hashed_slots)),
      due_(of == kind::bulk ? core.options.reserve : std::min(core.options.reserve, limits::higher_ahead)) {}

DETENT_NOINLINE void agenda::insert_cold(node_index index, node& armed, std::uint64_t word, bool in_order) noexcept {
  if (nodes_.group_of(index) != nullptr) groups_.enrol(index, word);
  if (joins_pass(index, armed, word, nodes_.due_time(index, word, deadline_of(armed.pair)))) return;
  insert_again(index, armed, word, in_order);
}

void agenda::insert_again(node_index index, node& armed, std::uint64_t word, bool in_order) noexcept {
  filing placed = nodes_.filing_of(index, word, deadline_of(armed.pair));
  placed.in_order &= in_order;
  wheel_.insert(index, armed, placed);
}

void agenda::accept(node_index index, node& submitted, std::uint32_t generation, bool in_order) noexcept {
  switch (take_up(submitted.pair, generation)) {
    case take_up_result::armed: return insert(index, submitted, observe(submitted.pair), in_order);
    case take_up_result::moved:
      if (wheel_.is_in_due_set(submitted)) [[unlikely]] {
        split_sets(wheel_.due().time_of(submitted));
        if (submitted.location == nowhere) return;  // another thread has cancelled it, and split_sets() has dropped it
      }
      if (submitted.location == in_due_queue) {
        // An entry of its old deadline would come too late. One of a later time finds the new deadline by itself.
        if (place_if_due(index, submitted, observe(submitted.pair), entering::pass)) return;
        submitted.location = nowhere;  // paused, perhaps, so that only the wheel can have it: that entry is stale now
      } else {
        wheel_.unlink(submitted);
      }
      return insert(index, submitted, observe(submitted.pair), false);
    case take_up_result::current:
    case take_up_result::stale: return;
  }
}

// In the due queue or a due set its time is not before that place, which accept() ensures: it finds the new one there.
void agenda::refile(node_index index, node& member, std::uint64_t word) noexcept {
  if (state_word::state(word) != timer_state::armed || member.location >= in_due_queue) return;
  if (wheel_.is_in_due_set(member)) return;
  wheel_.unlink(member);
  insert_again(index, member, observe(member.pair), false);
}

void agenda::reap(node_index index, node& cancelled) noexcept {
  // A node that is due is freed when its turn comes.
  if (cancelled.location == in_due_queue) return;
  if (wheel_.is_in_due_set(cancelled)) return;
  if (cancelled.location != nowhere) wheel_.unlink(cancelled);
  free_node(core_, *drive_.record, index, cancelled);
}

// Puts it into the due queue if it is due. The deadline is read once, because a restart could change it between two
// reads. Returns false if it is not due, or there is no memory.
bool agenda::place_if_due(node_index index, node& armed, std::uint64_t word, entering how) noexcept {
  const nanoseconds_t deadline = deadline_of(armed.pair);
  const nanoseconds_t due = nodes_.due_time(index, word, deadline);
  if (!nodes_.is_due_by(drive_.reached(kind_ == kind::bulk), index, word, due)) return false;
  std::uint32_t order = state_word::order(word);
  // It was restarted in its place. A timer that its thread armed before may still wait in the queue. So when its turn
  // comes it counts as armed again, and is settled then.
  if ((word & state_word::moved) != 0 && how != entering::settled) [[unlikely]]
    order = (order - 1) & state_word::order_mask;
  if (!enter(index, armed, due, order, how == entering::batch)) return false;
  if (how != entering::batch && wheel_.has_due_set()) [[unlikely]]
    split_sets(due);
  return true;
}

// Returns false if there is no memory.
DETENT_ALWAYS_INLINE inline bool agenda::enter(node_index index, node& due, nanoseconds_t time, std::uint32_t order,
                                               bool collects) noexcept {
  const due_entry entry{.deadline = time,
                        .order = order,
                        .index = index,
                        .placed = drive_.newest_entry.next_entry(),
                        .taken_up = drive_.split.taken_up(due.placed, time)};
  const bool entered = collects ? due_.collect(entry) : due_.insert(entry);
  if (!entered) [[unlikely]]
    return false;
  due.location = in_due_queue;
  due.placed = drive_.newest_entry = entry.placed;
  return true;
}

bool agenda::take_out_now(node_index index, node& filed, std::uint64_t word, nanoseconds_t deadline) noexcept {
  if (state_word::state(word) == timer_state::cancelled) [[unlikely]]
    return drop_if_cancelled(index, filed);
  // A restart in between makes order and deadline belong to different armings; is_as_due() finds that by the order.
  if ((word & (state_word::cold | state_word::moved)) == 0) [[likely]]
    return enter(index, filed, deadline, state_word::order(word), true);
  return place_if_due(index, filed, word, entering::batch);
}

bool agenda::drop_if_cancelled(node_index index, node& filed) noexcept {
  std::uint64_t word = observe(filed.pair);
  if (state_word::state(word) != timer_state::cancelled) return false;
  if (filed.location != nowhere) wheel_.unlink(filed);
  if ((word & state_word::emptied) != 0) free_node(core_, *drive_.record, index, filed);
  return true;
}

void agenda::place_again(node_index index, node& restarted, std::uint64_t word, entering how) noexcept {
  if (!place_if_due(index, restarted, word, how)) insert_again(index, restarted, observe(restarted.pair), false);
}

bool agenda::leaves(node_index index, node& restarted, const arming& now) noexcept {
  const nanoseconds_t due = nodes_.due_time(index, now.word, now.deadline);
  if (nodes_.is_due_by(drive_.reached(kind_ == kind::bulk), index, now.word, due)) return false;
  insert_again(index, restarted, observe(restarted.pair), false);
  return true;
}

void agenda::settle(const due_entry& due, node& restarted, const arming& before) noexcept {
  if (!is_newest(due, restarted)) return;  // restarted once more, and accepted
  restarted.location = nowhere;
  if (drop_if_cancelled(due.index, restarted)) return;
  // If it was restarted during the drain, timers that its thread armed before that may have come too late for the
  // drain.
  const arming now = arming::of(restarted);
  place_again(due.index, restarted, now.word, now == before ? entering::settled : entering::pass);
}

// Makes entries of the due set of that time. Without a time, it does so for each set whose time has entries already:
// a set has no order in common with entries of the same deadline.
void agenda::split_sets(std::optional<nanoseconds_t> time) noexcept {
  const auto wanted = [this, time](nanoseconds_t of_set) { return time ? of_set == *time : due_.may_contain(of_set); };
  bool ended = false;
  for (; wheel_.due().find(wanted); ended = true) {
    wheel_.due().end([this](node_index index, node& each) {
      if (!take_out(index, each, drive_.reached(kind_ == kind::bulk)))
        insert_again(index, each, observe(each.pair), false);
    });
  }
  if (!ended) return;
  due_.seal();
  // A timer that was restarted while it was in a set is due at another time, perhaps that of another set.
  if (wheel_.has_due_set()) split_sets(std::nullopt);
}

bool agenda::await(nanoseconds_t until) noexcept {
  const earliest* known = has_due() ? nullptr : wheel_.next_alone();
  if (known == nullptr || known->time() != until) return false;
  node& first = known->first();
  const awaited_timer found{&first, known->index(), observe(first.pair), until};
  // A timer that was restarted is left out, because a pass handles what was armed before it.
  constexpr std::uint64_t special = state_word::cold | state_word::moved;
  const bool plain = state_word::state(found.word) == timer_state::armed && (found.word & special) == 0;
  if (!plain || deadline_of(first.pair) != until) return false;
  wheel_.unlink(first);
  awaited_ = found;
  drive_.pass = first.placed = drive_.pass.next_pass();
  return true;
}

void agenda::give_up_awaited() noexcept {
  if (awaited_.timer == nullptr) return;
  const awaited_timer awaited = std::exchange(awaited_, {});
  if (drop_if_cancelled(awaited.index, *awaited.timer)) return;
  const std::uint64_t word = observe(awaited.timer->pair);
  const filing placed = nodes_.filing_of(awaited.index, word, deadline_of(awaited.timer->pair));
  wheel_.insert(awaited.index, *awaited.timer, placed);
  if (placed.time == awaited.deadline) wheel_.found_alone(awaited.index, *awaited.timer, placed.time);
}

void agenda::warm_up() {
  next_in_wheel();
  if (const earliest& found = wheel_.found(); found.is_known())
    base::prefetch_to_read(reinterpret_cast<const void*>(found.first().ops->invoke));
  due_.warm_up();
}

std::optional<nanoseconds_t> agenda::next_exact(int looks) {
  // The wheel comes last, because timers that are left over and have been restarted go there.
  const std::optional<nanoseconds_t> left_over = has_due() ? next_of_due() : std::nullopt;
  const std::optional<nanoseconds_t> next = next_in_wheel(looks);
  return left_over && next ? std::min(*left_over, *next) : left_over ? left_over : next;
}

std::optional<nanoseconds_t> agenda::next_in_wheel(int looks) {
  return wheel_.next_exact([this](node_index index, node& each) { return drop_if_cancelled(index, each); }, looks);
}

// A bound for the timers that a bounded poll left in the due sets and in the due queue. Takes out those before it that
// were cancelled or restarted since.
DETENT_COLD std::optional<nanoseconds_t> agenda::next_of_due() {
  std::optional<nanoseconds_t> next;
  while (!next && wheel_.has_due_set()) {
    const node_index index = wheel_.due().front();
    node& first = nodes_[index];
    const std::uint64_t word = observe(first.pair);
    const nanoseconds_t time = wheel_.due().time();
    const bool cancelled = state_word::state(word) == timer_state::cancelled;
    const bool moved = (word & state_word::moved) != 0;
    if (!cancelled && !moved && nodes_.due_time(index, word, deadline_of(first.pair)) == time) {
      next = time;
    } else {
      wheel_.due().pop();
      if (!drop_if_cancelled(index, first)) place_again(index, first, word, entering::pass);
    }
  }
  for (; !due_.empty(); due_.pop()) {
    const due_entry entry = due_.front();
    node& named = nodes_[entry.index];
    if (!is_newest(entry, named)) continue;
    std::uint64_t word = observe(named.pair);
    bool cancelled = state_word::state(word) == timer_state::cancelled;
    if (!cancelled && is_as_due(entry, word, deadline_of(named.pair)))
      return std::min(entry.deadline, next.value_or(forever));
    named.location = nowhere;
    if (!drop_if_cancelled(entry.index, named)) insert_again(entry.index, named, observe(named.pair), false);
  }
  return next;
}

}  // namespace detent::detail
