// SPDX-License-Identifier: MIT
// The public engine while it lives: a thin shell around its counted core.
#include <detent/engine.hpp>

#include "callers/pending_list.hpp"
#include "driver/poll.hpp"
#include "engine/driven_engine.hpp"
#include "limits.hpp"

namespace detent {

using detail::whole;

bool engine::stopped() const noexcept { return core().stopped(); }
std::size_t engine::pending() const noexcept { return detail::count_pending(core()); }
engine_metrics engine::metrics() const { return metrics_of(whole(core())); }
engine_metrics engine::metrics(label of) const { return metrics_of(core(), of); }
label engine::make_label(std::string_view name) { return whole(core()).make_label(name); }
void engine::show_stall(const char* text, std::uint64_t waiting) noexcept { core().counts.note_stall(text, waiting); }
std::vector<pending_timer> engine::list_pending() const { return detail::list_pending(core()); }
std::int32_t engine::worker_thread_id() const noexcept { return core().life.worker().number; }
std::thread::native_handle_type engine::native_handle() const noexcept { return core().life.worker().handle; }
time_point engine::now() const noexcept { return detail::to_time(core().reported_time()); }
std::size_t engine::poll(std::size_t max_callbacks) {
  return detail::poll(core(), whole(core()).drives(), max_callbacks);
}
int engine::wake_fd() { return detail::open_wake_fd(core(), whole(core()).drives()); }

std::size_t detail::poll_held(engine_core& core, std::size_t max_callbacks) {
  return poll_unsettled(core, whole(core).drives(), max_callbacks);
}
bool detail::settle_held(engine_core& core, nanoseconds_t rests_until) {
  return settle(core, whole(core).drives(), rests_until);
}

std::optional<time_point> engine::next_deadline() {
  std::optional<detail::nanoseconds_t> next =
      detail::next_deadline(core(), whole(core()).drives(), detail::limits::exact_looks);
  if (!next) return std::nullopt;
  return detail::to_time(*next);
}

}  // namespace detent
