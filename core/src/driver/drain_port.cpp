// SPDX-License-Identifier: MIT
#include "driver/drain_port.hpp"

#include "limits.hpp"

#include <algorithm>
#include <thread>

namespace detent::detail {

drain_port::drain_port(engine_core& core, drive_state& drive, agenda& known, outbox& offers, const interlude& between)
    : core_(core),
      drive_(drive),
      agenda_(known),
      offers_(offers),
      between_(core.options.drive == drive_kind::worker ? between : interlude{}),
      fences_(std::thread::hardware_concurrency()),
      set_aside_(core.options.reserve) {}

taken_entries drain_port::take(std::uint64_t* out) noexcept {
  taken_entries taken;
  if (!set_aside_.empty()) [[unlikely]] {
    taken.end = set_aside_.take(out, room);  // the queue may hold more
    drive_.split.drain_begins();
  } else {
    taken.end = core_.in.queue.take(out, room);
    taken.all = taken.end < room;
    if (taken.end == 0) return taken;
    note_taken(taken.end);
  }
  taken.first = stale_.keep_fresh(out, taken.end);
  return taken;
}

void drain_port::note_taken(std::size_t count) noexcept {
  drive_.split.drain_begins();
  probes::drain(&core_, count);
  drive_.record->counts.add(counter::drains);
  drive_.record->counts.add(counter::drained, count);
  fences_.count_pushes(count);
}

// Without raises of the wake time, as in a poll, idle producers are forgotten here.
std::size_t drain_port::submitted() noexcept {
  submission_queue& queue = core_.in.queue;
  if (queue.is_forgetting_due(core_.in.bell.asymmetric())) [[unlikely]] {
    queue.forget_idle();
    core_.in.bell.fence_driver();
  }
  return queue.size();
}

// A slot may begin long before what it holds is due.
nanoseconds_t drain_port::known(nanoseconds_t now) noexcept {
  const nanoseconds_t bound = agenda_.next_bound();
  return now < bound ? bound : agenda_.next_in_wheel().value_or(forever);
}

// A drain now would insert the many that are cancelled before that time: it is early enough to drain then.
nanoseconds_t drain_port::ahead_of(nanoseconds_t rung) noexcept {
  const bool far =
      core_.options.drive == drive_kind::worker && subtract_saturated(rung, now()) > 2 * limits::look_ahead;
  return far && submitted() > limits::worth_leaving ? limits::look_ahead : 0;
}

bool drain_port::keeps(nanoseconds_t time) const noexcept {
  return core_.options.drive == drive_kind::worker && subtract_saturated(time, now()) > limits::worth_a_vain_wake;
}

nanoseconds_t drain_port::retry_bound(nanoseconds_t until) noexcept {
  return offers_.has_retries() ? std::min(until, add_saturated(now(), limits::retry_after)) : until;
}

// What is late now was submitted late.
void drain_port::begins() noexcept {
  if (!drive_.polling) drive_.split.looked_again(now());
}

void drain_port::choose_fence() noexcept {
  doorbell& bell = core_.in.bell;
  const bool asymmetric = fences_.prefers_asymmetric(bell.asymmetric());
  if (asymmetric == bell.asymmetric()) return;
  if (!asymmetric) return bell.begin_symmetric();
  if (!bell.may_be_asymmetric()) return;
  if (!fences_.has_cost()) return fences_.set_cost(fence_policy::measure_cost());  // and decides when it is asked again
  bell.begin_asymmetric();
}

bool drain_port::search_queue(std::size_t most) noexcept {
  bool is_some_left = false;
  std::array<std::uint64_t, limits::scanned_at_once> taken;
  std::size_t count = taken.size();
  while (count == taken.size() && set_aside_.make_room(count)) {
    count = core_.in.queue.take_from(drive_.record->pushed, taken.data(), count);
    is_some_left |= set_aside_rest({taken.data(), count});
  }
  if (set_aside_.size() < most && set_aside_.make_room(taken.size()))
    is_some_left |= set_aside_rest({taken.data(), core_.in.queue.take(taken.data(), taken.size())});
  return is_some_left;
}

// They came out of the queue, and what is set aside of them is as good as in it.
bool drain_port::set_aside_rest(std::span<std::uint64_t> taken) noexcept {
  if (taken.empty()) return false;
  note_taken(taken.size());
  taken = taken.subspan(stale_.keep_fresh(taken.data(), taken.size()));
  taken = taken.first(taken.size() - accept_critical(taken));
  for (const std::uint64_t each : taken) set_aside_.add(each);
  return !taken.empty();
}

std::size_t drain_port::accept_critical(std::span<std::uint64_t> entries) noexcept {
  std::size_t left = 0;
  for (std::size_t at = 0; at != entries.size(); ++at) {
    if (at + limits::fetch_critical_ahead < entries.size()) prefetch_node(entries[at + limits::fetch_critical_ahead]);
    if (!accept_if_critical(entries[at])) entries[left++] = entries[at];
  }
  return entries.size() - left;
}

// False: it is of the bulk, or of a cancelled timer, and has to wait.
bool drain_port::accept_if_critical(std::uint64_t entry) noexcept {
  if (submission::what(entry) != submission::kind::arm) return false;
  const node_index index = submission::index(entry);
  node& named = core_.node_at(index);
  const std::uint64_t word = observe(named.pair);
  if (state_word::generation(word) != submission::generation(entry)) return true;  // stale
  // Perhaps a later generation's lane: then the entry is stale as well, and accept() finds that out.
  if (core_.nodes.lane(index, word) == 0) return false;
  agenda_.accept(index, named, submission::generation(entry));
  return true;
}

template class intake<drain_port>;

}  // namespace detent::detail
