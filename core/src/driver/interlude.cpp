// SPDX-License-Identifier: MIT
// The higher lanes in the middle of a long step of the bulk, whose wheel is in use meanwhile: what is critical is taken
// up and fires, all else waits for the end of the step.
#include "engine/engine_core.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace detent::detail {
namespace {

// So many nodes come out of the wheel between two looks at the higher lanes.
constexpr std::uint32_t takes_between_looks = 256;
// So many entries of other threads are looked through each time.
constexpr std::size_t most_at_a_look = 256;
constexpr std::size_t fetch_ahead = 12;

}  // namespace

// What was submitted for the higher lanes, whose wheel is not in use.
struct engine_core::critical_entries {
  engine_core& core;

  // First that of the callbacks which ran in an interlude, all of it, as nobody else's flood must stand before it; then
  // some of what other threads have submitted.
  void take_up() noexcept {
    if (core.batch_searched_ < core.batch_end_) {
      core.batch_end_ -= pick_out({core.batch_.data() + core.batch_next_, core.batch_.data() + core.batch_end_});
      core.batch_searched_ = core.batch_end_;
    }
    std::array<std::uint64_t, most_at_a_look> taken;
    std::size_t count = taken.size();
    while (count == taken.size() && core.set_aside_.make_room(count)) {
      count = core.queue_.take_from(*core.driver_->producer, taken.data(), count);
      deal_with({taken.data(), count});
    }
    if (core.set_aside_.size() >= set_aside::most || !core.set_aside_.make_room(taken.size())) return;
    deal_with({taken.data(), core.queue_.take(taken.data(), taken.size())});
  }

 private:
  // They came out of the queue, and what is set aside of them is as good as in it.
  void deal_with(std::span<std::uint64_t> taken) noexcept {
    if (taken.empty()) return;
    core.note_taken(taken.size());
    taken = taken.subspan(core.stale_.keep_fresh(taken.data(), taken.size()));
    taken = taken.first(taken.size() - pick_out(taken));
    if (!taken.empty()) core.debt_.owe();
    for (const std::uint64_t each : taken) core.set_aside_.add(each);
  }
  // Takes up the critical ones, and moves the others to the front, in their order; says how many it has taken up.
  std::size_t pick_out(std::span<std::uint64_t> entries) noexcept {
    std::size_t left = 0;
    for (std::size_t at = 0; at != entries.size(); ++at) {
      if (at + fetch_ahead < entries.size())
        __builtin_prefetch(&core.node_at(submission::index(entries[at + fetch_ahead])), 1);
      if (!take_up(entries[at])) entries[left++] = entries[at];
    }
    return entries.size() - left;
  }
  // False: it is of the bulk, or of a cancelled timer, and has to wait.
  bool take_up(std::uint64_t entry) noexcept {
    if (submission::what(entry) != submission::kind::arm) return false;
    const node_index index = submission::index(entry);
    node& named = core.node_at(index);
    const std::uint64_t word = observe(named.pair);
    if (state_word::generation(word) != submission::generation(entry)) return true;  // stale
    // Perhaps a later life's lane: then the entry is stale as well, and taking it up finds that out.
    if (core.nodes_.lane(index, word) == 0) return false;
    core.take_up_submitted(index, named, submission::generation(entry));
    return true;
  }
};

// Takes up and fires what is due in the higher lanes. What its callbacks schedule, restart and cancel goes the way of
// other threads', as the wheel is in use, and is looked at the next time.
void engine_core::overtake(void* core) noexcept {
  engine_core& self = *static_cast<engine_core*>(core);
  // Relaxed: a thread's first timer in a higher lane may wait for the end of the step.
  if (self.polling_ || !self.lanes_in_use_.load(base::relaxed) || self.stopped()) return;
  nanoseconds_t now = self.time_.certain();
  self.ledger_.split.looked_again(now);
  critical_entries{self}.take_up();
  if (!self.set_aside_.empty()) self.pass_now_ = std::max(self.pass_now_, now);  // for the end of the step
  // Also what the pass had collected before the step began.
  if (now < self.wheel_.critical_bound() && !self.due_.has_higher()) return;
  self.threads_.set_driving(*self.driver_, false);
  self.take_critical(now);
  while (self.due_.has_higher() && !self.stopped()) self.fire_next(now);
  if (!self.batch_to_run_.empty()) self.hand_over_batch();
  self.threads_.set_driving(*self.driver_, true);
}

// For wheel::expire, which has taken the node out.
bool engine_core::take_due(node_index index, node& filed) noexcept {
  // Relaxed: as in overtake().
  if (lanes_in_use_.load(base::relaxed) && ++taken_ % takes_between_looks == 0) [[unlikely]]
    return take_due_after_a_look(index, filed);
  return take_out_due(index, filed);
}

bool engine_core::take_due_after_a_look(node_index index, node& filed) noexcept {
  overtake(this);
  due_.make_room(takes_between_looks, {overtake, this});
  return take_out_due(index, filed);
}

}  // namespace detent::detail
