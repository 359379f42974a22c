// SPDX-License-Identifier: MIT
// Prints what docs/concepts.md and its figures show: the node, the state word, a few sizes, and where a wheel files the
// example.
#include <detent/alloc/slot_pool.hpp>
#include "timer/node.hpp"
#include "wheel/hierarchical_wheel.hpp"

#include <bit>
#include <cstddef>
#include <cstdio>
#include <memory>

namespace {

using namespace detent::detail;

void print(const char* kind, const char* name, std::size_t first, std::size_t size) {
  std::printf("%s %s %zu %zu\n", kind, name, first, size);
}

#define DETENT_FIELD(name) print("node", #name, offsetof(node, name), sizeof(node::name))

void print_node() {
  print("node", "word", offsetof(node, pair) + offsetof(timer_pair, low), sizeof(timer_pair::low));
  print("node", "deadline", offsetof(node, pair) + offsetof(timer_pair, high), sizeof(timer_pair::high));
  DETENT_FIELD(next);
  DETENT_FIELD(previous);
  print("node", "ops", offsetof(node, ops), sizeof(void*));
  DETENT_FIELD(capture);
  DETENT_FIELD(location);
  DETENT_FIELD(placed);
}

void print_bits(const char* name, std::uint64_t mask) {
  print("word", name, static_cast<std::size_t>(std::countr_zero(mask)), static_cast<std::size_t>(std::popcount(mask)));
}

void print_word() {
  print("word", "generation", state_word::generation_shift, state_word::generation_bits);
  print_bits("unfiled", state_word::unfiled);
  print_bits("state", state_word::state_field);
  print_bits("owning", state_word::owning);
  print_bits("cold", state_word::cold);
  print_bits("periodic", state_word::periodic);
  print_bits("waiter", state_word::waiter);
  print_bits("last", state_word::last);
  print_bits("order", state_word::order_mask);
}

struct one_node {
  node* only;
  node& operator[](node_index) const noexcept { return *only; }
  filing filing_of(node_index, const node& of) const noexcept { return {deadline_of(of.pair), true}; }
  void prefetch(node_index, const node&) const noexcept {}
};

void print_facts() {
  using pool = detent::alloc::slot_pool<>;
  print("fact", "node", sizeof(node), 0);
  print("fact", "capture", capture_size, 0);
  print("fact", "slab", pool::slots_per_slab, 0);
  print("fact", "magazine", pool::magazine_capacity, 0);
  print("fact", "levels", hierarchical_wheel<one_node>::levels, 0);
  print("fact", "slots", hierarchical_wheel<one_node>::slots, 0);
}

// Where a timer due at 1,250,000 is inserted at 1,000,000, and again whenever its slot has begun.
void print_example() {
  constexpr nanoseconds_t due = 1'250'000;
  using wheel = hierarchical_wheel<one_node>;
  node only;
  only.pair.high.store(due, detent::base::relaxed);  // relaxed: there is one thread
  auto made = std::make_unique<wheel>(one_node{&only}, tick_grid(1), 1'000'000);
  made->insert(0, only, due);
  for (nanoseconds_t now = 0; now < due;) {
    const std::uint32_t slot = made->slot_of(only);
    print("filed", "slot", slot / wheel::slots, slot % wheel::slots);
    now = made->next_bound().value_or(due);
    made->expire(now, [&](node_index, node&) { return now >= due; });
  }
}

}  // namespace

int main() {
  print_node();
  print_word();
  print_facts();
  print_example();
}
