// SPDX-License-Identifier: MIT
// Critical timers in the middle of long steps.
#include "driver/expiry.hpp"

#include <algorithm>

namespace detent::detail {
namespace {

// So many nodes come out of the wheel between two interludes.
constexpr std::uint32_t takes_between = 256;

}  // namespace

void expiry::overtake() noexcept {
  // Relaxed: a thread's first timer in a higher lane may wait for the end of the step.
  if (drive_.polling || !core_.lanes_in_use.load(base::relaxed) || core_.stopped()) return;
  const nanoseconds_t now = core_.time.certain();
  drive_.split.looked_again(now);
  // First what the callbacks of an earlier interlude have submitted.
  intake_.search_rest([this](std::span<std::uint64_t> rest) { return entries_.accept_critical(rest); });
  if (entries_.search_queue()) intake_.request_drain();
  if (entries_.has_set_aside()) drive_.pass_now = std::max(drive_.pass_now, now);  // for the end of the step
  // Also what the pass had collected before the step began.
  if (now < agenda_.critical_bound() && !agenda_.has_higher_due()) return;
  core_.threads.set_driving(*drive_.record, nullptr);
  take_critical(now);
  for (nanoseconds_t read = now; agenda_.has_higher_due() && !core_.stopped();) fire_next(read);
  if (!outbox_.empty()) outbox_.flush();
  core_.threads.set_driving(*drive_.record, &port_);
}

// For the wheel's expire(), which has taken the node out.
bool expiry::take_due(node_index index, node& filed) noexcept {
  // Relaxed: as in overtake().
  if (core_.lanes_in_use.load(base::relaxed) && ++taken_ % takes_between == 0) [[unlikely]]
    return take_due_after_interlude(index, filed);
  return agenda_.take_out(index, filed);
}

bool expiry::take_due_after_interlude(node_index index, node& filed) noexcept {
  overtake();
  agenda_.make_room(takes_between, between());
  return agenda_.take_out(index, filed);
}

}  // namespace detent::detail
