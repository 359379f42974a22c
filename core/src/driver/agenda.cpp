// SPDX-License-Identifier: MIT
#include "driver/agenda.hpp"

#include <detent/base/compiler.hpp>

#include "driver/basic_agenda_moves.hpp"

#include <bit>

namespace detent::detail {

template class basic_agenda<wheel, due_queue>;
template class basic_agenda<critical_wheel, due_lanes>;

DETENT_COLD agenda::agenda(engine_core& core, drive_state& drive, group_sweep& groups)
    : basic_agenda(core, drive, groups, core.options.wheel == wheel_kind::hashed,
                   std::bit_ceil(core.options.hashed_slots)) {}

awaited_timer agenda::take_awaited(nanoseconds_t until) noexcept {
  const earliest* known = has_due() ? nullptr : wheel_.next_alone();
  if (known == nullptr || known->time() != until) return {};
  const awaited_timer found{&known->first(), known->index(), observe(known->first().pair), until};
  // A timer that was restarted is left out, because a pass handles what was armed before it.
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
  wheel_.insert(awaited.index, *awaited.timer, placed);
  if (placed.time == awaited.deadline) wheel_.found_alone(awaited.index, *awaited.timer, placed.time);
}

void agenda::warm_up() {
  next_in_wheel();
  if (const earliest& found = wheel_.found(); found.is_known())
    base::prefetch_to_read(reinterpret_cast<const void*>(found.first().ops->invoke));
  due_.warm_up();
}

DETENT_COLD critical_agenda::critical_agenda(engine_core& core, drive_state& drive, group_sweep& groups)
    : basic_agenda(core, drive, groups) {}

void critical_agenda::expire(nanoseconds_t reached) {
  wheel_.expire(reached, [this, reached](node_index index, node& filed) { return take_out(index, filed, reached); });
  due_.seal();
}

void critical_agenda::warm_up() {
  if (!has_filed()) return;
  next_in_wheel();
  if (const earliest& found = wheel_.found(); found.is_known())
    base::prefetch_to_read(reinterpret_cast<const void*>(found.first().ops->invoke));
}

}  // namespace detent::detail
