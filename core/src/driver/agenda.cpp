// SPDX-License-Identifier: MIT
#include "driver/agenda.hpp"

#include "limits.hpp"

#include <algorithm>
#include <bit>

namespace detent::detail {

[[gnu::cold]] agenda::agenda(engine_core& core, drive_state& drive, group_sweep& groups)
    : core_(core),
      drive_(drive),
      groups_(groups),
      nodes_(core.nodes),
      wheel_(nodes_, core.ticks, core.time.now(), core.options.wheel == wheel_kind::hashed,
             std::bit_ceil(core.options.hashed_slots)),
      due_(core.options.reserve) {}

// The run of that time becomes entries; of none, each run for whose time there are entries already.
void agenda::end_runs(std::optional<nanoseconds_t> time) noexcept {
  const auto wanted = [this, time](nanoseconds_t of_run) {
    return time ? of_run == *time : due_.bulk_may_contain(of_run);
  };
  bool ended = false;
  for (; wheel_.runs().find(wanted); ended = true) {
    wheel_.runs().end([this](node_index index, node& each) {
      if (take_out(index, each, drive_.pass_now)) return;
      const std::uint64_t word = observe(each.pair);
      insert_at(index, each, word, {.time = nodes_.filing_time(index, each), .in_order = false});
    });
  }
  if (!ended) return;
  due_.seal({});
  // What was restarted while it was in a run is due at another time, perhaps at another run's.
  if (wheel_.has_run()) separate_runs();
}

void agenda::insert(node_index index, node& armed, bool in_order) noexcept {
  const std::uint64_t word = observe(armed.pair);
  if ((word & state_word::cold) != 0) [[unlikely]]
    return insert_cold(index, armed, word, in_order);
  const nanoseconds_t deadline = deadline_of(armed.pair);
  if (joins_pass(index, armed, word, deadline)) return;
  wheel_.insert(index, armed, {deadline, in_order && (word & state_word::moved) == 0});
}

[[gnu::noinline]] void agenda::insert_cold(node_index index, node& armed, std::uint64_t word, bool in_order) noexcept {
  if (nodes_.group_of(index) != nullptr) groups_.enrol(index, word);
  const nanoseconds_t deadline = deadline_of(armed.pair);
  if (joins_pass(index, armed, word, nodes_.due_time(index, word, deadline))) return;
  filing placed = nodes_.filing_of(index, word, deadline);
  placed.in_order &= in_order;
  insert_at(index, armed, word, placed);
}

void agenda::insert_at(node_index index, node& armed, std::uint64_t word, const filing& placed) noexcept {
  if (nodes_.lane(index, word) == 0) [[likely]]
    return wheel_.insert(index, armed, placed);
  wheel_.insert_critical(index, armed, placed.time);
}

void agenda::insert_again(node_index index, node& armed, bool in_order) noexcept {
  const std::uint64_t word = observe(armed.pair);
  filing placed = nodes_.filing_of(index, word, deadline_of(armed.pair));
  placed.in_order &= in_order;
  insert_at(index, armed, word, placed);
}

void agenda::accept(node_index index, node& submitted, std::uint32_t generation, bool in_order) noexcept {
  switch (take_up(submitted.pair, generation)) {
    case take_up_result::armed: return insert(index, submitted, in_order);
    case take_up_result::moved:
      if (wheel_.is_in_run(submitted)) [[unlikely]] {
        end_runs(wheel_.runs().time_of(submitted));
        if (submitted.location == nowhere) return;  // another thread has cancelled it, and end_runs() has dropped it
      }
      if (submitted.location == in_due_queue) {
        // An entry of its old deadline would come too late. One of a later time finds the new deadline by itself.
        if (place_if_due(index, submitted, observe(submitted.pair), entering::pass)) return;
        submitted.location = nowhere;  // paused, perhaps, so that only the wheel can have it: that entry is stale now
      } else {
        wheel_.unlink(submitted);
      }
      return insert(index, submitted, false);
    case take_up_result::current:
    case take_up_result::stale: return;
  }
}

// In the due queue or a run its time is not before that place, as accept() has seen to: it finds the new one there.
void agenda::refile(node_index index, node& member, std::uint64_t word) noexcept {
  if (state_word::state(word) != timer_state::armed || member.location >= in_due_queue || wheel_.is_in_run(member))
    return;
  wheel_.unlink(member);
  insert_at(index, member, word, {.time = nodes_.filing_time(index, member), .in_order = false});
}

void agenda::reap(node_index index, node& cancelled) noexcept {
  // What is due is freed when its turn comes.
  if (cancelled.location == in_due_queue || wheel_.is_in_run(cancelled)) return;
  if (cancelled.location != nowhere) wheel_.unlink(cancelled);
  free_node(core_, *drive_.record, index, cancelled);
}

[[gnu::cold]] void agenda::rescan(const interlude& between) noexcept {
  node_index end = core_.pool.carved();
  for (node_index index = 0; index < end; ++index) {
    node& each = nodes_[index];
    std::uint64_t word = observe(each.pair);
    timer_state state = state_word::state(word);
    if (state == timer_state::queued || (state == timer_state::armed && (word & state_word::unfiled) != 0))
      accept(index, each, state_word::generation(word), false);
    bool forgotten = state == timer_state::cancelled && (word & state_word::emptied) != 0 && each.location == nowhere;
    if (forgotten) free_node(core_, *drive_.record, index, each);
    if (index % limits::stretch == limits::stretch - 1) between();
  }
}

// Into the due queue, if it is due. The deadline is read once: between two reads a restart could make it another.
// False: not due, or no memory.
bool agenda::place_if_due(node_index index, node& armed, std::uint64_t word, entering how) noexcept {
  const nanoseconds_t deadline = deadline_of(armed.pair);
  const nanoseconds_t due = nodes_.due_time(index, word, deadline);
  const std::uint8_t lane = nodes_.lane(index, word);
  const nanoseconds_t reached = lane == 0 ? drive_.pass_now : std::max(drive_.pass_now, drive_.higher_now);
  if (!nodes_.is_due_by(reached, index, word, due)) return false;
  const placement entered = newest_entry_.next_entry();
  const bool now = how != entering::batch;
  due_entry entry{.deadline = due, .order = state_word::order(word), .index = index, .placed = entered};
  entry.taken_up = drive_.split.taken_up(armed.placed, entry.deadline);
  // It was restarted in its place. What its thread armed before may still wait in the queue: when its turn comes it
  // passes for one that has been armed again since, and is settled then.
  if ((word & state_word::moved) != 0 && how != entering::settled) [[unlikely]]
    entry.order = (entry.order - 1) & state_word::order_mask;
  if (!(now ? due_.insert(lane, entry) : due_.collect(lane, entry))) return false;
  armed.location = in_due_queue;
  armed.placed = newest_entry_ = entered;
  // Of the bulk: a higher lane comes before each run, and into the middle of steps in which no run can be ended.
  if (now && lane == 0 && wheel_.has_run()) [[unlikely]]
    end_runs(entry.deadline);
  return true;
}

// A run has no order in common with entries of the same deadline: it becomes entries, too.
void agenda::separate_runs() noexcept { end_runs(std::nullopt); }

bool agenda::take_out_now(node_index index, node& filed, std::uint64_t word) noexcept {
  if (state_word::state(word) == timer_state::cancelled) [[unlikely]]
    return drop_if_cancelled(index, filed);
  // A restart in between makes order and deadline of different armings; is_as_collected() finds it by the order.
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
  if (!place_if_due(index, restarted, word, how))
    insert_at(index, restarted, word, {.time = nodes_.filing_time(index, restarted), .in_order = false});
}

awaited_timer agenda::take_awaited(nanoseconds_t until) noexcept {
  const earliest* known = nothing_due() ? wheel_.next_alone() : nullptr;
  if (known == nullptr || known->time() != until) return {};
  const awaited_timer found{&known->first(), known->index(), observe(known->first().pair), until};
  // Not if it was restarted: a pass sees to what was armed before.
  constexpr std::uint64_t special = state_word::cold | state_word::moved;
  const bool plain = state_word::state(found.word) == timer_state::armed && (found.word & special) == 0;
  if (!plain || deadline_of(found.timer->pair) != until) return {};
  wheel_.unlink(*found.timer);
  return found;
}

void agenda::put_back(const awaited_timer& awaited) noexcept {
  if (drop_if_cancelled(awaited.index, *awaited.timer)) return;
  const std::uint64_t word = observe(awaited.timer->pair);
  const filing placed = nodes_.filing_of(awaited.index, word, deadline_of(awaited.timer->pair));
  insert_at(awaited.index, *awaited.timer, word, placed);
  if (placed.time == awaited.deadline) wheel_.found_alone(awaited.index, *awaited.timer, placed.time);
}

due_entry agenda::pop() noexcept {
  const due_entry due = due_.pop();
  if (const due_entry* ahead = due_.ahead(limits::fetch_due_ahead)) __builtin_prefetch(&nodes_[ahead->index], 1);
  return due;
}

void agenda::expire_critical() {
  wheel_.expire_critical(drive_.higher_now,
                         [this](node_index index, node& filed) { return take_out(index, filed, drive_.higher_now); });
  due_.seal_higher();
}

std::optional<nanoseconds_t> agenda::next_exact() {
  // The wheel last, as what is left over and has been restarted goes there.
  const bool left = !nothing_due();
  const std::optional<nanoseconds_t> of_runs = left ? next_in_runs() : std::nullopt,
                                     left_over = left ? next_left_over() : std::nullopt;
  std::optional<nanoseconds_t> next = next_in_wheel();
  for (const std::optional<nanoseconds_t>& each : {of_runs, left_over}) {
    if (each) next = std::min(*each, next.value_or(forever));
  }
  return next;
}

std::optional<nanoseconds_t> agenda::next_in_wheel() {
  return wheel_.next_exact([this](node_index index, node& each) { return drop_if_cancelled(index, each); });
}

// The same of the first run that is left; of nothing else of it must a caller know.
[[gnu::cold]] std::optional<nanoseconds_t> agenda::next_in_runs() noexcept {
  while (wheel_.has_run()) {
    const node_index index = wheel_.runs().front();
    node& first = nodes_[index];
    const std::uint64_t word = observe(first.pair);
    if (state_word::state(word) == timer_state::cancelled) {
      wheel_.runs().pop();
      drop_if_cancelled(index, first);
    } else if (is_as_filed(index, first, word, wheel_.runs().time())) {
      return wheel_.runs().time();
    } else {
      wheel_.runs().pop();
      place_again(index, first, word, entering::pass);
    }
  }
  return std::nullopt;
}

// A bound of what a bounded poll left in the due queue; takes out what was cancelled or restarted meanwhile.
[[gnu::cold]] std::optional<nanoseconds_t> agenda::next_left_over() {
  while (!due_.empty()) {
    const due_entry entry = due_.front();
    node& named = nodes_[entry.index];
    if (is_newest(entry, named)) {
      std::uint64_t word = observe(named.pair);
      bool cancelled = state_word::state(word) == timer_state::cancelled;
      if (!cancelled && is_as_collected(entry, word, deadline_of(named.pair))) return due_.earliest();
      named.location = nowhere;
      if (!drop_if_cancelled(entry.index, named))
        insert_at(entry.index, named, word, {.time = nodes_.filing_time(entry.index, named), .in_order = false});
    }
    due_.pop();
  }
  return std::nullopt;
}

void agenda::warm_up() {
  next_in_wheel();
  for (const earliest* each : {&wheel_.found(), &wheel_.found_critical()}) {
    if (each->is_known()) __builtin_prefetch(reinterpret_cast<const void*>(each->first().ops->invoke));
  }
  due_.warm_up();
}

}  // namespace detent::detail
