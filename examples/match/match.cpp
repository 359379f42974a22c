// SPDX-License-Identifier: MIT
// One match in virtual time and once more live, faster than life: the same program, on the ground that there is.
#include "table.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

namespace {

using namespace std::chrono_literals;

constexpr int players = 200;

bool kept = true;

void promise(bool holds, const char* what) {
  kept = kept && holds;
  std::printf("  %-5s %s\n", holds ? "yes" : "NO", what);
}

// The worker on a CPU of its own where the ground has that, and else wherever the system takes it: on the machine of a
// developer that is good enough.
detent::engine_options for_production() {
  detent::engine_options options{.name = "match", .cpu = 0};
  try {
    const detent::engine tried(options);
    std::printf("the worker has CPU 0\n");
  } catch (const detent::error& refused) {
    std::printf("without a CPU of its own: %s\n", refused.what());
    options.cpu.reset();
  }
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  const auto seed = static_cast<std::uint32_t>(argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 39);

  detent::manual_clock clock;
  detent::engine rehearsal({.manual = &clock});
  match::table planned(rehearsal, 1s);
  planned.seat(players, seed, clock.now());
  while (const auto next = rehearsal.next_deadline()) {
    clock.advance_to(*next);
    rehearsal.poll();
  }
  std::printf("in virtual time: %lld s of the game\n", static_cast<long long>(clock.now().time_since_epoch() / 1s));

  detent::engine engine(for_production());
  match::table live(engine, 2ms);
  live.seat(players, seed, engine.now() + 100ms);
  while (engine.pending() != 0) std::this_thread::sleep_for(10ms);
  engine.stop();

  promise(planned.all_have_left() && planned.early() == 0, "in virtual time each player was sent away in the end");
  promise(live.all_have_left(), "live as well");
  promise(live.early() == 0, "nothing happened early");
  promise(live.happenings() == planned.happenings(),
          "to each player the same happened, in the same order, at the same second");
  return kept ? 0 : 1;
}
