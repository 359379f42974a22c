// SPDX-License-Identifier: MIT
// The two agendas: that of the bulk, and that of the critical timers.
#pragma once

#include "driver/basic_agenda.hpp"

namespace detent::detail {

// A timer as it was found before the wait for its deadline.
struct awaited_timer {
  node* timer = nullptr;  // null if none is awaited
  node_index index = no_node;
  std::uint64_t word = 0;
  nanoseconds_t deadline = 0;
};

extern template class basic_agenda<wheel, due_queue>;
extern template class basic_agenda<critical_wheel, due_lanes>;

// Used by the driver alone. A function with an interlude calls it in the middle of its work.
class agenda : public basic_agenda<wheel, due_queue> {
 public:
  // Throws bad_alloc.
  agenda(engine_core& core, drive_state& drive, group_sweep& groups);

  void prefetch_insert(node_index index, nanoseconds_t deadline) const noexcept {
    wheel_.prefetch_insert(index, deadline);
  }

  // Moves due timers from the wheel to the due queue, up to the reading of the pass; each() is called before each node.
  template <class Each>
  void expire(Each&& each, const interlude& between) {
    const auto take = [this, &each](node_index index, node& filed) {
      each();
      return take_out(index, filed, drive_.pass_now);
    };
    wheel_.expire(drive_.pass_now, take, between);
    due_.seal(between);
    if (wheel_.has_due_set()) separate_sets();
  }
  // Makes room for `more` to be taken out.
  void make_room(std::size_t more, const interlude& between) noexcept { due_.make_room(more, between); }
  void warm_up();

  // --- A timer that fires without a pass

  // Takes out the plain timer that is due at `until`, alone and before all others. Null if there is none, or if that is
  // not known.
  awaited_timer take_awaited(nanoseconds_t until) noexcept;
  // Puts it back to where it belongs now, or frees it if it has been cancelled. Nothing else has come or gone since.
  void put_back(const awaited_timer& awaited) noexcept;
};

// Used by the driver alone. It is all that an interlude in the bulk's long steps may touch.
class critical_agenda : public basic_agenda<critical_wheel, due_lanes> {
 public:
  // Throws bad_alloc.
  critical_agenda(engine_core& core, drive_state& drive, group_sweep& groups);

  bool has_filed() const noexcept { return !wheel_.empty(); }
  // Moves due timers from the wheel to the due queues, up to `reached`.
  void expire(nanoseconds_t reached);
  void warm_up();
};

}  // namespace detent::detail
