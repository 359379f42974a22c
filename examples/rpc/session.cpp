// SPDX-License-Identifier: MIT
#include "session.hpp"

#include <optional>

namespace rpc {

awaitable<void> session::serve() {
  for (;;) {
    const std::span<const frame> frames = co_await socket_->receive();
    if (frames.empty()) co_return;
    for (const frame& f : frames) {
      if (f.kind == frame_kind::request) take(f);
      if (f.kind == frame_kind::cancel) cancel(f.id);
    }
  }
}

void session::take(const frame& request) {
  ++tally_.received;
  const std::optional<detent::duration> time = times_.draw();
  if (!time) {
    ++tally_.dropped;
    return;
  }
  open_[request.id] =
      answers_.schedule_after(*time, [this, id = request.id, value = request.value] { answer(id, value); });
}

// Once the timer is cancelled, its callback never starts: the answer cannot slip out after the cancel.
void session::cancel(std::uint64_t id) {
  const auto found = open_.find(id);
  if (found == open_.end()) return;  // answered already, or dropped
  found->second.cancel();
  open_.erase(found);
  ++tally_.cancelled;
}

void session::answer(std::uint64_t id, std::uint32_t value) {
  open_.erase(id);
  ++tally_.answered;
  socket_->send({.id = id, .kind = frame_kind::answer, .value = value + 1});
}

}  // namespace rpc
