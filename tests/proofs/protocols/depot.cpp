// SPDX-License-Identifier: MIT
// The depot of magazines, the store of empty ones, the stray bits, and the pool that is made of them: nothing has two
// owners, and nothing is lost.
#include "pages.hpp"
#include "scenario.hpp"

#include <detent/alloc/depot.hpp>
#include <detent/alloc/stray_bits.hpp>

#include <algorithm>
#include <vector>

namespace model {
namespace {

using detent::alloc::depot;
using detent::alloc::magazine;
using detent::alloc::no_slot;
using detent::alloc::slot_index;
using detent::alloc::stray_bits;

struct loaded_depot {
  explicit loaded_depot(std::uint32_t magazines) {
    for (std::uint32_t i = 0; i != magazines; ++i) store.push(each[i]);
  }
  depot store;
  magazine each[3];
};

// Counts the holders of a magazine, in its plain memory.
magazine* take(depot& from) {
  magazine* taken = from.pop();
  if (taken != nullptr) require(++taken->count == 1, "a magazine with two holders");
  return taken;
}
void give(depot& to, magazine& held) {
  require(--held.count == 0, "a magazine with two holders");
  to.push(held);
}

// At the end all of them are there once.
void count_all(loaded_depot& shared, std::size_t expected) {
  std::vector<magazine*> found;
  while (magazine* each = take(shared.store)) {
    require(std::find(found.begin(), found.end(), each) == found.end(), "a magazine that is there twice");
    found.push_back(each);
  }
  require(found.size() == expected, "a magazine was lost");
}

// One thread takes the top, and is overtaken by another that takes two and puts the first back: the top is the same,
// what is below is not.
void top_comes_back(execution& run) {
  auto& shared = run.make<loaded_depot>("depot", 3u);
  magazine *slow = nullptr, *held = nullptr;
  run.thread("slow", [&] { slow = take(shared.store); });
  run.thread("quick", [&] {
    magazine* first = take(shared.store);
    held = take(shared.store);
    if (first != nullptr) give(shared.store, *first);
  });
  run.join();
  if (slow != nullptr) give(shared.store, *slow);
  if (held != nullptr) give(shared.store, *held);
  count_all(shared, 3);
}

// Three threads, each of which brings a magazine or takes one.
void pushes_and_pops(execution& run) {
  auto& shared = run.make<loaded_depot>("depot", 1u);
  magazine* taken[2] = {};
  for (magazine*& mine : taken) {
    run.thread("taker", [&] { mine = take(shared.store); });
  }
  run.thread("giver", [&] {
    shared.each[1].count = 1;
    give(shared.store, shared.each[1]);
  });
  run.join();
  for (magazine* each : taken) {
    if (each != nullptr) give(shared.store, *each);
  }
  count_all(shared, 2);
}

// Each slot that was put is taken once, with what its last owner wrote.
template <bool Full>
void strays(execution& run) {
  struct words {
    std::uint64_t bits[1];
    int slots[3];
  };
  auto& memory = run.make<words>("words");
  stray_bits shared(memory.bits, 64);
  if (Full) shared.put(2);
  std::vector<slot_index> taken[2];
  auto take_some = [&](std::vector<slot_index>& mine, std::uint32_t room) {
    slot_index out[3];
    std::uint32_t count = shared.take(out, room, 0);
    for (std::uint32_t i = 0; i != count; ++i) {
      ++memory.slots[out[i]];
      mine.push_back(out[i]);
    }
  };
  run.thread("giver", [&] {
    for (std::uint32_t slot : {0u, 1u}) {
      memory.slots[slot] = 1;
      shared.put(slot);
    }
  });
  for (auto& mine : taken) run.thread("taker", [&] { take_some(mine, 1); });
  run.join();
  take_some(taken[0], 3);
  require(taken[0].size() + taken[1].size() == (Full ? 3 : 2), "a stray slot was lost, or came twice");
}

using shrunk_store = detent::alloc::magazine_store<shrunk_traits>;

// The store hands out each empty magazine once; two that find it used up add a chunk each. Behind a chunk that is used
// up (`Gone` magazines), who finds the next one, mapped by the other, finds it whole.
template <std::uint32_t Gone>
void two_growers(execution& run) {
  auto& pages = run.make<model_pages>("pages");
  auto& store = run.make<shrunk_store>("store", pages);
  for (std::uint32_t i = 0; i != Gone; ++i) require(store.take() != nullptr, "no memory");
  magazine* taken[2] = {};
  for (magazine*& mine : taken) {
    run.thread("taker", [&] {
      mine = store.take();
      mine->count = 1;
    });
  }
  run.join();
  require(taken[0] != nullptr && taken[0] != taken[1], "a magazine with two holders");
}

// Two threads take a slot each from a pool that has none yet, give back what they have, and go.
void two_carvers(execution& run) {
  auto& pages = run.make<model_pages>("pages");
  auto& pool = run.make<shrunk_pool>("pool", pages, std::size_t{0}, std::size_t{0});
  slot_index taken[2] = {};
  for (slot_index& mine : taken) {
    run.thread("user", [&] {
      pool_user self(pool);
      mine = self.take();
      require(mine != no_slot, "no memory");
      self.give(mine);
      self.leave();
    });
  }
  run.join();
  require(pool.carved() <= 2, "slots were carved that nobody needed");
}

// A thread that reads every slot there is finds each mapped, and its cold part.
void carved_are_mapped(execution& run) {
  auto& pages = run.make<model_pages>("pages");
  auto& pool = run.make<shrunk_pool>("pool", pages, std::size_t{0}, sizeof(int));
  for (int i = 0; i != 2; ++i) {
    run.thread("user", [&] {
      detent::alloc::slot_cache cache;
      slot_index mine = pool.allocate(cache);
      require(mine != no_slot, "no memory");
      pool.free(cache, mine);
      pool.flush(cache);
    });
  }
  run.thread("looker", [&] {
    slot_index end = pool.carved();
    if (end != 0) reach("looked at a slot");
    for (slot_index each = 0; each != end; ++each) {
      require(*static_cast<const int*>(pool.hot(each)) == 0, "not zeroed");
      require(*static_cast<const int*>(pool.cold(each)) == 0, "the twin is not zeroed");
    }
  });
  run.join();
}

// What one thread frees another allocates; the slot passes through the depot, and its memory with it.
void freed_elsewhere(execution& run) {
  auto& pages = run.make<model_pages>("pages");
  auto& pool = run.make<shrunk_pool>("pool", pages, std::size_t{2}, std::size_t{0});
  run.thread("first", [&] {
    pool_user self(pool);
    slot_index slots[] = {self.take(), self.take()};
    for (slot_index each : slots) self.give(each);
    self.leave();
  });
  run.thread("second", [&] {
    pool_user self(pool);
    slot_index slots[] = {self.take(), self.take()};
    for (slot_index each : slots) self.give(each);
    self.leave();
  });
  run.join();
  pool_user last(pool);
  slot_index slots[] = {last.take(), last.take()};
  require(slots[0] != slots[1] && slots[0] != no_slot && slots[1] != no_slot, "a slot was lost");
  for (slot_index each : slots) last.give(each);
  last.leave();
}

const suite depot_suite(
    "Depot",
    {
        {"TheTopComesBack", top_comes_back, {.preemptions = 6}},
        {"PushesAndPops", pushes_and_pops, {.preemptions = 3}},
        {"StrayBits", strays<false>, {.preemptions = 4}},
        {"StrayBitsWithALeftOver", strays<true>, {.preemptions = 4}},
        {"TwoGrowers", two_growers<0>, {.preemptions = 3, .surprises = 1}},
        {"TwoGrowersOfANextChunk", two_growers<shrunk_store::magazines_per_chunk>, {.preemptions = 2, .surprises = 1}},
        {"TwoCarvers", two_carvers, {.preemptions = 2, .weak = {.stale = 2}}},
        {"CarvedAreMapped", carved_are_mapped, {.preemptions = 1, .weak = {.stale = 2}}, {"looked at a slot"}},
        {"FreedElsewhere", freed_elsewhere, {.preemptions = 2, .weak = {.stale = 2}}},
    });

}  // namespace
}  // namespace model
