// SPDX-License-Identifier: MIT
#include "driver/agendas.hpp"

#include <detent/base/compiler.hpp>

#include "limits.hpp"

namespace detent::detail {
namespace {

std::optional<nanoseconds_t> earlier_of(const std::optional<nanoseconds_t>& a, const std::optional<nanoseconds_t>& b) {
  return a && b ? std::min(*a, *b) : a ? a : b;
}

}  // namespace

DETENT_COLD agendas::agendas(engine_core& core, drive_state& drive, group_sweep& groups)
    : bulk(core, drive, groups), critical(core, drive, groups), core_(core), drive_(drive), nodes_(core.nodes) {}

void agendas::insert_again(node_index index, node& armed, bool in_order) noexcept {
  const std::uint64_t word = observe(armed.pair);
  with_agenda_of(index, word, [&](auto& own) { own.insert_again(index, armed, word, in_order); });
}

void agendas::accept(node_index index, node& submitted, std::uint32_t generation, bool in_order) noexcept {
  with_agenda_of(index, observe(submitted.pair),
                 [&](auto& own) { own.accept(index, submitted, generation, in_order); });
}

void agendas::refile(node_index index, node& member, std::uint64_t word) noexcept {
  with_agenda_of(index, word, [&](auto& own) { own.refile(index, member, word); });
}

void agendas::reap(node_index index, node& cancelled) noexcept {
  with_agenda_of(index, observe(cancelled.pair), [&](auto& own) { own.reap(index, cancelled); });
}

// If it sets out at this moment, the thread that sends it may be held up before its entry is in the queue: it is taken
// here.
void agendas::recall(node_index index, node& member, std::uint64_t word) noexcept {
  const std::uint32_t generation = state_word::generation(word);
  while (state_word::state(word) == timer_state::dispatched && state_word::generation(word) == generation) {
    if (exchange_word(member.pair, word, state_word::recalled(word, member.previous)))
      return insert(index, member, false);
  }
  if (state_word::state(word) == timer_state::queued) accept(index, member, generation, false);
}

DETENT_COLD void agendas::rescan(const interlude& between) noexcept {
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

std::optional<nanoseconds_t> agendas::next_exact() {
  const std::optional<nanoseconds_t> of_critical = critical.next_exact();
  return earlier_of(bulk.next_exact(), of_critical);
}

std::optional<nanoseconds_t> agendas::next_in_wheel() {
  const std::optional<nanoseconds_t> of_critical = critical.next_in_wheel();
  return earlier_of(bulk.next_in_wheel(), of_critical);
}

void agendas::give_back() noexcept {
  bulk.give_back();
  critical.give_back();
}

void agendas::warm_up() {
  bulk.warm_up();
  critical.warm_up();
}

}  // namespace detent::detail
