// SPDX-License-Identifier: MIT
#include "driver/agenda.hpp"

#include <algorithm>
#include <bit>

namespace detent::detail {
namespace {

// How far ahead of its turn a due node is fetched.
constexpr std::size_t prefetch_distance = 6;

}  // namespace

agenda::agenda(engine_core& core, drive_state& drive, group_sweep& groups)
    : core_(core),
      drive_(drive),
      groups_(groups),
      nodes_(core.nodes),
      wheel_(nodes_, core.ticks, core.time.now(), core.options.wheel == wheel_kind::hashed,
             std::bit_ceil(core.options.hashed_slots)),
      due_(core.options.reserve) {}

void agenda::insert(node_index index, node& armed) noexcept {
  const std::uint64_t word = observe(armed.pair);
  const bool cold = (word & state_word::cold) != 0;
  if (cold && nodes_.group_of(index) != nullptr) [[unlikely]]
    groups_.enrol(index, word);
  const nanoseconds_t kept = deadline_of(armed.pair), deadline = cold ? nodes_.due_time(index, word, kept) : kept;
  if (base::counts_causes && drive_.split.is_late(deadline) && armed.placed != drive_.pass) [[unlikely]]
    armed.placed = drive_.split.late_drain();
  // What has run in this pass does not do so again, and comes with the next.
  if (drive_.polling && armed.placed != drive_.pass && place_if_due(index, armed, word, true)) return;
  if (!cold) [[likely]]
    return wheel_.insert(index, armed, kept);
  insert_at(index, armed, word, nodes_.filing_time(index, armed));
}

void agenda::insert_at(node_index index, node& armed, std::uint64_t word, nanoseconds_t time) noexcept {
  if (nodes_.lane(index, word) == 0) [[likely]]
    return wheel_.insert(index, armed, time);
  wheel_.insert_critical(index, armed, time);
}

void agenda::accept(node_index index, node& submitted, std::uint32_t generation) noexcept {
  switch (take_up(submitted.pair, generation)) {
    case take_up_result::armed: return insert(index, submitted);
    case take_up_result::moved:
      if (submitted.location != in_due_queue) {
        wheel_.unlink(submitted);
        return insert(index, submitted);
      }
      // Its entry in the due queue finds the new deadline by itself; only an earlier place is needed now. If there is
      // no memory for it, the old place has to do.
      place_if_due(index, submitted, observe(submitted.pair), true);
      return;
    case take_up_result::current:
    case take_up_result::stale: return;
  }
}

void agenda::refile(node_index index, node& member, std::uint64_t word) noexcept {
  if (state_word::state(word) != timer_state::armed || member.location >= in_due_queue) return;
  wheel_.unlink(member);
  insert_at(index, member, word, nodes_.filing_time(index, member));
}

void agenda::reap(node_index index, node& cancelled) noexcept {
  if (cancelled.location == in_due_queue) return;  // freed when its turn comes
  if (cancelled.location != nowhere) wheel_.unlink(cancelled);
  free_node(core_, *drive_.record, index, cancelled);
}

void agenda::rescan(const interlude& between) noexcept {
  node_index end = core_.pool.carved();
  for (node_index index = 0; index < end; ++index) {
    node& each = nodes_[index];
    std::uint64_t word = observe(each.pair);
    timer_state state = state_word::state(word);
    if (state == timer_state::queued || (state == timer_state::armed && (word & state_word::unfiled) != 0))
      accept(index, each, state_word::generation(word));
    bool forgotten = state == timer_state::cancelled && (word & state_word::emptied) != 0 && each.location == nowhere;
    if (forgotten) free_node(core_, *drive_.record, index, each);
    if (index % stretch == stretch - 1) between();
  }
}

// Into the due queue, if it is due: `now` among what fires in this pass, else with the next batch. The deadline is read
// once: between two reads a restart could make it another. False: not due, or no memory.
bool agenda::place_if_due(node_index index, node& armed, std::uint64_t word, bool now) noexcept {
  const nanoseconds_t deadline = deadline_of(armed.pair);
  if (nodes_.filing_time(index, word, deadline) > drive_.pass_now) return false;
  const placement entered = newest_entry_.next_entry();
  due_entry entry{.deadline = nodes_.due_time(index, word, deadline),
                  .order = state_word::order(word),
                  .index = index,
                  .placed = entered};
  entry.taken_up = drive_.split.taken_up(armed.placed, entry.deadline);
  const std::uint8_t lane = nodes_.lane(index, word);
  if (!(now ? due_.insert(lane, entry) : due_.collect(lane, entry))) return false;
  armed.location = in_due_queue;
  armed.placed = newest_entry_ = entered;
  return true;
}

// What is due goes into the next batch, what was cancelled is freed, the rest is to be inserted again: false.
bool agenda::take_out(node_index index, node& filed) noexcept {
  std::uint64_t word = observe(filed.pair);
  if (state_word::state(word) == timer_state::cancelled) [[unlikely]]
    return drop_if_cancelled(index, filed);
  // A restart in between makes order and deadline of different armings; is_as_collected() finds it by the order.
  return place_if_due(index, filed, word, false);
}

bool agenda::drop_if_cancelled(node_index index, node& filed) noexcept {
  std::uint64_t word = observe(filed.pair);
  if (state_word::state(word) != timer_state::cancelled) return false;
  if (filed.location != nowhere) wheel_.unlink(filed);
  if ((word & state_word::emptied) != 0) free_node(core_, *drive_.record, index, filed);
  return true;
}

void agenda::place_again(node_index index, node& restarted, std::uint64_t word) noexcept {
  if (!place_if_due(index, restarted, word, true))
    insert_at(index, restarted, word, nodes_.filing_time(index, restarted));
}

due_entry agenda::pop() noexcept {
  const due_entry due = due_.pop();
  if (const due_entry* ahead = due_.ahead(prefetch_distance)) __builtin_prefetch(&nodes_[ahead->index], 1);
  return due;
}

void agenda::expire_critical(nanoseconds_t now) {
  wheel_.expire_critical(now, [this](node_index index, node& filed) { return take_out(index, filed); });
  due_.seal_higher();
}

std::optional<nanoseconds_t> agenda::next_exact() {
  std::optional<nanoseconds_t> left_over = next_left_over(), filed = next_in_wheel();
  if (!left_over || !filed) return left_over ? left_over : filed;
  return std::min(*left_over, *filed);
}

std::optional<nanoseconds_t> agenda::next_in_wheel() {
  return wheel_.next_exact([this](node_index index, node& each) { return drop_if_cancelled(index, each); });
}

// A bound of what a bounded poll left in the due queue; takes out what was cancelled or restarted meanwhile.
std::optional<nanoseconds_t> agenda::next_left_over() {
  while (!due_.empty()) {
    const due_entry entry = due_.front();
    node& named = nodes_[entry.index];
    if (is_newest(entry, named)) {
      std::uint64_t word = observe(named.pair);
      bool cancelled = state_word::state(word) == timer_state::cancelled;
      if (!cancelled && is_as_collected(entry, word, deadline_of(named.pair))) return due_.earliest();
      named.location = nowhere;
      if (!drop_if_cancelled(entry.index, named))
        insert_at(entry.index, named, word, nodes_.filing_time(entry.index, named));
    }
    due_.pop();
  }
  return std::nullopt;
}

void agenda::warm_up() {
  wheel_.next_exact([this](node_index index, node& each) {
    if (drop_if_cancelled(index, each)) return true;
    __builtin_prefetch(reinterpret_cast<const void*>(each.ops->invoke));
    return false;
  });
  due_.warm_up();
}

}  // namespace detent::detail
