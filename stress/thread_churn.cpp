// SPDX-License-Identifier: MIT
// Producers that live for a few calls each, one after the other and several at once: what they leave behind works, and
// what the engine keeps for a thread passes on, so 100,000 of them need no more nodes than a handful.
#include "support/callables.hpp"
#include "support/crew.hpp"
#include "support/engines.hpp"
#include "support/ledger.hpp"
#include "support/runner.hpp"

#include <detent/detail/timer_access.hpp>

#include <vector>

namespace {

using namespace stress;
using namespace std::chrono_literals;

struct churned {
  detent::engine& engine;
  ledger& accounts;
};

// A few calls, on whichever thread.
void use(churned& with, tally& mine, random_numbers& random, std::uint64_t calls) {
  // What a thread caches, what lies in the depot, and what waits to be accepted; leaks would pass it soon.
  constexpr std::uint32_t most_nodes = 32768;
  for (; calls != 0; --calls) {
    ++mine.operations;
    account& at = with.accounts.any(random);
    sighting seen = at.look();
    if (seen && !at.ended(seen.life)) {
      if (random.one_in(2)) {
        mine.restarted += at.restart(seen, detent::clock::now() + random_delay(random));
      } else {
        mine.cancelled += at.cancel(seen, random.one_in(8)) == detent::cancel_result::cancelled;
      }
      continue;
    }
    outcome before = outcome::unborn;
    const auto deadline = detent::clock::now() + random_delay(random);
    sighting made = schedule(with.engine, at, deadline, random, false, &before);
    mine.count_end(before);
    if (!made) continue;
    ++mine.scheduled;
    require(detent::detail::timer_access::index(made.handle) < most_nodes, "threads that ended left nodes behind");
  }
}

// Made before the engine's own thread-local data, and so destroyed after it: its calls come from a thread without any.
struct late_caller {
  churned* with = nullptr;
  tally* mine = nullptr;
  std::uint64_t seed = 0;
  late_caller() = default;
  late_caller(const late_caller&) = delete;
  late_caller& operator=(const late_caller&) = delete;
  ~late_caller() {
    if (with == nullptr) return;
    random_numbers random(seed);
    use(*with, *mine, random, 4);
  }
};

void live_shortly(churned& with, tally& mine, std::uint64_t seed) {
  thread_local late_caller late;
  random_numbers random(seed);
  late.mine = &mine;
  late.seed = random();
  late.with = random.one_in(8) ? &with : nullptr;
  use(with, mine, random, random.below(8) == 0 ? 300 : random.below(6));
}

std::uint64_t play(const round_plan& plan) {
  random_numbers random(plan.seed);
  ledger accounts(std::size_t{1} << (4 + random.below(6)));
  account::nobody_fires = false;
  detent::engine_options options = random_options(random);
  if (options.wait.mode == detent::wait_options::kind::busy) options.wait = detent::wait_options::hybrid();
  options.reserve = 0;
  detent::engine engine(std::move(options));
  churned shared{engine, accounts};
  std::vector<tally> tallies(plan.threads);
  std::atomic<std::uint64_t> lived{0};
  crew lanes(plan.threads, plan.seed, [&](unsigned i, random_numbers& mine) {
    tally counts;
    while (detent::clock::now() < plan.until && lived < plan.operations) {
      std::thread([&, seed = mine()] { live_shortly(shared, counts, seed); }).join();
      ++lived;
    }
    tallies[i] = counts;
  });
  lanes.join();
  accounts.returned(engine.stop(), random);
  for (const tally& each : tallies) accounts.add(each);
  const detent::engine_metrics reported = engine.metrics();
  accounts.balance(&reported);
  return lived;
}

}  // namespace

int main(int argc, char** argv) {
  return run(argc, argv,
             {.name = "thread_churn",
              .description = "Short-lived producers, one after the other; the full count is --operations 100000.",
              .counted = "producers",
              .play = play,
              .round_length = std::chrono::seconds(1)});
}
