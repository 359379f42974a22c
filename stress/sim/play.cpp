// SPDX-License-Identifier: MIT
#include "play.hpp"

#include "failure.hpp"
#include "script_text.hpp"

#include <thread>

namespace detent::sim {

// Far more than a world takes, on a busy machine and under a sanitizer.
static constexpr unsigned seconds_at_most = 120;

// What a process takes once is no world's.
static void make_first_engine() { engine first({.drive = drive_kind::caller, .reserve = 0}); }

played play(const script& plays, bool tracing) {
  announce_world(arguments_of(plays));
  watch_for_hang(seconds_at_most);
  [[maybe_unused]] static const bool once = (make_first_engine(), true);
  event_log log(tracing);
  const allocations::holding before = allocations::held();
  // On a thread of its own, so that what the engine keeps for a thread goes with it.
  std::thread([&] { world(plays, log).play(); }).join();
  const allocations::holding after = allocations::held();
  expect_equal(after.pieces, before.pieces, "memory was left behind: pieces");
  expect_equal(after.mapped_bytes, before.mapped_bytes, "memory was left behind: mapped bytes");
  watch_for_hang(0);
  return {log.digest(), log.events()};
}

}  // namespace detent::sim
