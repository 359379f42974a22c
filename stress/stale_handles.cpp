// SPDX-License-Identifier: MIT
// Handles of timers long gone, thrown at few nodes that are used again and again, up to the end of their generations
// and beyond it: none of them may reach a timer that lives. A node comes to that end after 2^27 generations; here it is
// brought close to it by hand, or, with --walk, by living them.
#include "support/callables.hpp"
#include "support/crew.hpp"
#include "support/ledger.hpp"
#include "support/runner.hpp"

#include <detent/detail/timer_access.hpp>
#include "timer/node.hpp"

#include <CLI/CLI.hpp>

#include <array>
#include <cstdio>
#include <vector>

namespace {

using namespace stress;
using namespace std::chrono_literals;
using detent::detail::node;
using detent::detail::state_word;
using detent::detail::timer_access;

constexpr std::size_t few = 32;
bool walk = false;
std::uint64_t retired = 0;  // in all rounds

// A callable lives in its node.
struct node_finder {
  node** found;
  void operator()() { *found = reinterpret_cast<node*>(reinterpret_cast<std::byte*>(this) - offsetof(node, capture)); }
};

// Schedules that many timers, lets them fire, and returns where they were. The engine is driven by the calling thread.
std::vector<node*> free_nodes(detent::engine& engine, std::size_t count, std::vector<detent::timer>& handles) {
  std::vector<node*> nodes(count);
  for (node*& each : nodes) handles.push_back(engine.schedule_after(0ns, node_finder{&each}));
  while (engine.pending() != 0) engine.poll();
  return nodes;
}

// As if the free node had lived all its generations but `left`.
void age(node& free, std::uint32_t left) {
  const std::uint64_t word = free.pair.low.load(std::memory_order_acquire);
  require(state_word::state(word) == detent::detail::timer_state::free, "a node that has fired is not free");
  free.pair.low.store(state_word::make(state_word::generation_max - left, 0, detent::detail::timer_state::free, 0),
                      std::memory_order_release);
}

// What the threads know of the past: handles of every kind of age, and where each belonged.
class past {
 public:
  explicit past(std::vector<detent::timer> first) : first_(std::move(first)) {}

  void remember(const sighting& made, random_numbers& random) { later_[random.below(later_.size())] = made; }

  // The very first generations of all nodes ended before the threads began.
  void throw_one(random_numbers& random) {
    if (random.one_in(2)) {
      detent::timer old = first_[random.below(first_.size())];
      require(!old.pending(), "a handle of a first life says pending");
      require(old.cancel() == detent::cancel_result::gone, "a handle of a first life cancelled something");
      require(!old.restart_after(1h), "a handle of a first life restarted something");
      require(old.cancel_and_wait() == detent::cancel_result::gone, "a handle of a first life waited for something");
      return;
    }
    const sighting& old = later_[random.below(later_.size())];
    if (!old || !old.of->ended(old.life)) return;
    require(!old.handle.pending(), "a stale handle says pending");
    static_cast<void>(old.of->restart(old, detent::clock::now()));
    require(old.of->cancel(old) != detent::cancel_result::cancelled, "a stale handle cancelled something");
  }

 private:
  std::vector<detent::timer> first_;
  std::array<sighting, 512> later_{};
};

class user {
 public:
  user(detent::engine& engine, ledger& accounts, past old, random_numbers& random)
      : engine_(engine), accounts_(accounts), old_(std::move(old)), random_(random) {}

  void step() {
    ++mine_.operations;
    account& at = accounts_.any(random_);
    sighting seen = at.look();
    if (seen && !at.ended(seen.life)) {
      if (random_.one_in(4)) {
        mine_.restarted += at.restart(seen, detent::clock::now() + detent::duration(random_.below(100'000)));
      } else {
        mine_.cancelled += at.cancel(seen) == detent::cancel_result::cancelled;
      }
    } else {
      outcome before = outcome::unborn;
      const auto deadline = detent::clock::now() + detent::duration(random_.below(50'000));
      if (sighting made = schedule(engine_, at, deadline, random_, false, &before)) {
        ++mine_.scheduled;
        old_.remember(made, random_);
      }
      mine_.count_end(before);
    }
    for (int i = 0; i < 2; ++i) old_.throw_one(random_);
  }
  const tally& counts() const noexcept { return mine_; }

 private:
  detent::engine& engine_;
  ledger& accounts_;
  past old_;
  random_numbers& random_;
  tally mine_;
};

// All generations of one node, one by one, with the handle of the first thrown at each.
std::uint64_t walk_to_the_end(detent::engine& engine) {
  detent::timer first = engine.schedule_after(1h, [] {});
  first.cancel();
  std::uint64_t lives = 1;
  for (std::uint32_t generation = 0; generation != state_word::generation_max; ++lives) {
    detent::timer made = engine.schedule_after(1h, [] {});
    require(timer_access::index(made) == timer_access::index(first), "a node that is free is not used again");
    require(timer_access::generation(made) > generation, "generations do not grow");
    generation = timer_access::generation(made);
    require(first.cancel() == detent::cancel_result::gone, "the handle of the first life cancelled something");
    require(made.cancel() == detent::cancel_result::cancelled, "a timer cannot be cancelled");
    if (lives % 65536 == 0) engine.poll();
  }
  require(engine.metrics().retired == 1, "a node outlives its generations");
  require(timer_access::index(engine.schedule_after(1h, [] {})) != timer_access::index(first), "a retired node lives");
  require(lives > state_word::generation_max, "a node was retired before its generations were used up");
  return lives;
}

std::uint64_t play(const round_plan& plan) {
  random_numbers random(plan.seed);
  ledger accounts(few);
  account::nobody_fires = false;
  detent::engine engine({.drive = detent::drive_kind::caller, .reserve = 0});
  if (walk) return walk_to_the_end(engine);
  std::vector<detent::timer> handles;
  std::vector<node*> nodes = free_nodes(engine, few + 8, handles);
  // Generations are counted from the first on, so a node has handles that would fit it again if it went on after its
  // end.
  for (int life = 1; life < 64; ++life) free_nodes(engine, nodes.size(), handles);
  for (node* each : nodes) age(*each, static_cast<std::uint32_t>(random.below(100)));

  std::vector<tally> tallies(plan.threads + 1);
  std::atomic<unsigned> running{plan.threads};
  crew threads(plan.threads, plan.seed, [&](unsigned i, random_numbers& mine) {
    user each(engine, accounts, past(handles), mine);
    while (detent::clock::now() < plan.until && each.counts().operations * plan.threads < plan.operations) each.step();
    tallies[i] = each.counts();
    --running;
  });
  user driver(engine, accounts, past(handles),
              random);  // it has the old nodes at hand, and what fires comes back to it
  while (running != 0) {
    driver.step();
    engine.poll();
  }
  threads.join();
  tallies.back() = driver.counts();
  accounts.returned(engine.stop(), random);
  for (const tally& each : tallies) accounts.add(each);
  const detent::engine_metrics reported = engine.metrics();
  require(driver.counts().scheduled < 100'000 || reported.retired != 0, "no node came to its end");
  retired += reported.retired;
  for (const detent::timer& each : handles) require(!each.pending(), "a handle of a first life says pending");
  accounts.balance();
  return accounts.total().operations;
}

}  // namespace

int main(int argc, char** argv) {
  const int status =
      run(argc, argv,
          {.name = "stale_handles",
           .description = "Throws old handles at nodes that are used again, up to the end of their generations.",
           .counted = "operations",
           .play = play,
           .more_options = [](CLI::App& app) {
             app.add_flag("--walk", walk, "use up one node's 2^27 generations instead: some seconds");
           }});
  if (!walk) std::printf("stale_handles: %llu nodes came to their end\n", static_cast<unsigned long long>(retired));
  return status;
}
