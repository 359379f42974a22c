// SPDX-License-Identifier: MIT
#include "storm/aged_nodes.hpp"

#include "storm/runner.hpp"

#include <detent/detail/timer_access.hpp>
#include "timer/node.hpp"

namespace stress {

using namespace std::chrono_literals;
using detent::detail::node;
using detent::detail::state_word;
using detent::detail::timer_access;

namespace {

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

}  // namespace

std::vector<detent::timer> age_nodes(detent::engine& engine, std::size_t count, random_numbers& random) {
  std::vector<detent::timer> handles;
  const std::vector<node*> nodes = free_nodes(engine, count, handles);
  // Generations are counted from the first on, so a node has handles that would fit it again if it went on after its
  // end.
  for (int life = 1; life < 64; ++life) free_nodes(engine, count, handles);
  for (node* each : nodes) age(*each, static_cast<std::uint32_t>(random.below(100)));
  return handles;
}

std::uint64_t walk_to_the_end() {
  detent::engine engine({.drive = detent::drive_kind::caller, .reserve = 0});
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

}  // namespace stress
