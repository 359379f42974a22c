// SPDX-License-Identifier: MIT
// The depot of magazines, the store of empty ones, the map of free slots, and the pool that is made of them: nothing
// has two owners, and nothing is lost.
#include "pages.hpp"
#include "scenario.hpp"

#include <detent/alloc/depot.hpp>
#include <detent/alloc/free_map.hpp>

#include <algorithm>
#include <vector>

namespace model {
namespace {

using detent::alloc::depot;
using detent::alloc::magazine;
using detent::alloc::no_slot;
using detent::alloc::slot_index;

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

// A map of one group of two words.
struct mapped_slots {
  struct traits {
    static constexpr unsigned slab_bits = 7;
    [[maybe_unused]] static constexpr std::size_t max_slabs = 1;
  };
  using map_type = detent::alloc::free_map<traits>;
  static constexpr slot_index first = 0, neighbour = 1, in_next_word = 64, end = 128;

  mapped_slots() {
    part.store(reinterpret_cast<std::byte*>(words), detent::base::relaxed);
    map.lay_out(&part, 0, &root);
  }
  void put(slot_index slot) {
    owners[slot] = 1;
    map.put(&slot, 1);
  }
  // Says which were taken, none twice.
  void take(std::vector<slot_index>& taken, std::uint32_t room) {
    slot_index out[4];
    const std::uint32_t count = map.take(out, room, end, [](slot_index, std::uint64_t) {});
    for (std::uint32_t i = 0; i != count; ++i) {
      require(++owners[out[i]] == 2, "a slot with two owners");
      taken.push_back(out[i]);
    }
  }

  std::uint64_t words[map_type::bytes_per_slab / 8] = {}, root = 0;
  map_type::piece part{nullptr};
  map_type map;
  int owners[end] = {};
};

// Each slot that was put is taken once, with what its last owner wrote. Between the two givers' words lies a summary,
// of which only one of them has to enter the group.
template <slot_index Second, bool Full>
void mapped(execution& run) {
  auto& shared = run.make<mapped_slots>("map");
  if (Full) shared.put(mapped_slots::neighbour + 1);
  std::vector<slot_index> taken[2];
  run.thread("giver", [&] { shared.put(mapped_slots::first); });
  run.thread("giver", [&] { shared.put(Second); });
  run.thread("taker", [&] { shared.take(taken[0], 1); });
  if (Full) run.thread("taker", [&] { shared.take(taken[1], 1); });
  run.join();
  shared.take(taken[0], 4);
  require(taken[0].size() + taken[1].size() == (Full ? 3 : 2), "a slot was lost, or came twice");
}

// A group of one word, all of it free and idle since the last look.
struct idle_word {
  struct traits {
    static constexpr unsigned slab_bits = 6;
    [[maybe_unused]] static constexpr std::size_t max_slabs = 1;
  };
  using map_type = detent::alloc::free_map<traits>;

  idle_word() {
    part.store(reinterpret_cast<std::byte*>(words), detent::base::relaxed);
    map.lay_out(&part, 0, &root);
    for (slot_index each = 0; each != 64; ++each) map.put(&each, 1);
    look();
  }
  void look() {
    map.give_back(0, [this](slot_index, slot_index) {
      ++memory;  // plain: nobody else has any of these slots
      given = true;
      return std::uint64_t{7};
    });
  }
  slot_index take() {
    slot_index taken = 64;
    map.take(&taken, 1, 64, [this](slot_index, std::uint64_t lives) {
      require(lives == 7, "other lives");
      require(given, "revived, and not given back");
      given = false;
      reach("revived");
    });
    if (taken != 64) require(!given && ++memory != 0, "taken, and not revived");
    return taken;
  }

  std::uint64_t words[map_type::bytes_per_slab / 8] = {}, root = 0;
  map_type::piece part{nullptr};
  map_type map;
  int memory = 0;
  bool given = false;
};

// Memory that was given back is held by no thread. The first thread that takes any of it revives it.
void given_back(execution& run) {
  auto& shared = run.make<idle_word>("map");
  run.thread("looker", [&] { shared.look(); });
  run.thread("user", [&] {
    const slot_index taken = shared.take();
    if (taken != 64) shared.map.put(&taken, 1);
  });
  run.join();
  for (int i = 0; i != 64; ++i) require(shared.take() != 64, "a slot was lost");
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

// One thread allocates what another has freed. The slot passes through the depot, and its memory with it.
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

// Where more is freed than is wanted, it goes to the map: by the thread that frees, or by one that has time.
void surplus(execution& run) {
  auto& pages = run.make<model_pages>("pages");
  auto& pool = run.make<shrunk_pool>("pool", pages, std::size_t{4}, std::size_t{0});
  {
    pool_user before(pool);
    slot_index slots[] = {before.take(), before.take(), before.take()};
    for (slot_index each : slots) before.give(each);
    before.leave();
  }
  run.thread("tidy", [&] {
    if (!pool.is_untidy()) return;
    reach("tidied");
    pool.tidy([] { return false; });
  });
  run.thread("user", [&] {
    pool_user self(pool);
    slot_index slots[] = {self.take(), self.take()};
    for (slot_index each : slots) self.give(each);
    self.leave();
  });
  run.join();
  pool_user last(pool);
  for (int i = 0; i != 4; ++i) require(last.take() < 4, "a slot was lost");
  last.leave();
}

const suite depot_suite(
    "Depot",
    {
        {"TheTopComesBack", top_comes_back, {.preemptions = 6}},
        {"OneWordOfTheMap", mapped<mapped_slots::neighbour, false>, {.preemptions = 3}},
        {"TwoWordsOfTheMap", mapped<mapped_slots::in_next_word, false>, {.preemptions = 3}},
        {"TheMapWithALeftOver", mapped<mapped_slots::neighbour, true>, {.preemptions = 2}},
        {"GivenBack", given_back, {.preemptions = 3}, {"revived"}},
        {"TwoGrowers", two_growers<0>, {.preemptions = 3, .surprises = 1}},
        {"TwoGrowersOfANextChunk", two_growers<shrunk_store::magazines_per_chunk>, {.preemptions = 2, .surprises = 1}},
        {"TwoCarvers", two_carvers, {.preemptions = 2, .weak = {.stale = 2}}},
        {"CarvedAreMapped", carved_are_mapped, {.preemptions = 1, .weak = {.stale = 2}}, {"looked at a slot"}},
        {"Surplus", surplus, {.preemptions = 2, .weak = {.stale = 2}}, {"tidied"}},
        {"FreedElsewhere", freed_elsewhere, {.preemptions = 2, .weak = {.stale = 2}}},
    });

}  // namespace
}  // namespace model
