// SPDX-License-Identifier: MIT
#include "driver/agendas.hpp"

#include <detent/base/compiler.hpp>

#include "limits.hpp"

namespace detent::detail {

DETENT_COLD critical_agendas::critical_agendas(engine_core& core, drive_state& drive, group_sweep& groups)
    : nodes_(core.nodes),
      all_{agenda(core, drive, groups, agenda::kind::critical), agenda(core, drive, groups, agenda::kind::critical),
           agenda(core, drive, groups, agenda::kind::critical)} {}

bool critical_agendas::find_first() noexcept {
  first_ = critical_ranks - 1;
  while (first_ != 0 && !all_[first_].has_due()) --first_;
  return may_be_due_ = all_[first_].has_due();
}

nanoseconds_t critical_agendas::find_bound() const noexcept {
  nanoseconds_t bound = forever;
  for (const agenda& one : all_) bound = std::min(bound, one.next_bound());
  return bound;
}

DETENT_COLD agendas::agendas(engine_core& core, drive_state& drive, group_sweep& groups)
    : bulk(core, drive, groups, agenda::kind::bulk),
      critical(core, drive, groups),
      core_(core),
      drive_(drive),
      nodes_(core.nodes) {}

// If it sets out at this moment, the thread that sends it may be held up before its entry is in the queue: it is taken
// here.
void agendas::recall(node_index index, node& member, std::uint64_t word) noexcept {
  const std::uint32_t generation = state_word::generation(word);
  while (state_word::state(word) == timer_state::dispatched && state_word::generation(word) == generation) {
    if (!exchange_word(member.pair, word, state_word::recalled(word, member.previous))) continue;
    word = observe(member.pair);
    return of(index, word).insert(index, member, word, false);
  }
  if (state_word::state(word) == timer_state::queued) of(index, word).accept(index, member, generation, false);
}

DETENT_COLD void agendas::rescan(const interlude& between) noexcept {
  node_index end = core_.pool.carved();
  for (node_index index = 0; index < end; ++index) {
    node& each = nodes_[index];
    std::uint64_t word = observe(each.pair);
    timer_state state = state_word::state(word);
    if (state == timer_state::queued || (state == timer_state::armed && (word & state_word::unfiled) != 0))
      of(index, word).accept(index, each, state_word::generation(word), false);
    bool forgotten = state == timer_state::cancelled && (word & state_word::emptied) != 0 && each.location == nowhere;
    if (forgotten) free_node(core_, *drive_.record, index, each);
    if (index % limits::stretch == limits::stretch - 1) between();
  }
}

}  // namespace detent::detail
