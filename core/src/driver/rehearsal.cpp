// SPDX-License-Identifier: MIT
#include "driver/rehearsal.hpp"

#include "driver/driver.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace detent::detail {
namespace {

constexpr callable_ops does_nothing{
    .invoke = [](void*, firing&) {}, .destroy = nullptr, .relocate = [](void*, void*) noexcept {}};

constexpr std::size_t enough_slots = 64;

engine_options options_of_shadow(const engine_options& of) {
  engine_options made{.tick = of.tick,
                      .wheel = of.wheel,
                      .hashed_slots = std::min(of.hashed_slots, enough_slots),
                      .drive = drive_kind::caller,
                      .clock = of.clock,
                      .reserve = 0,
                      .memory = {.huge_pages = wish::off},
                      .name = of.name};
  made.memory.numa_node = of.memory.numa_node;
  return made;
}

}  // namespace

// What rehearses: a core and a driver of its own. No list has them, and no other thread knows them.
class shadow_engine {
 public:
  // Throws bad_alloc.
  explicit shadow_engine(const engine_options& of) : core_(options_of_shadow(of)), driver_(core_) {
    if (!core_.pool.ready() || !core_.threads.ready()) throw std::bad_alloc();
    record_ = &core_.threads.borrow_spare();
    record_->rehearses = true;
    driver_.begin(*record_);
  }
  ~shadow_engine() { core_.threads.give_back(*record_); }
  shadow_engine(const shadow_engine&) = delete;
  shadow_engine& operator=(const shadow_engine&) = delete;

  void fire_one() noexcept {
    const node_index index = core_.pool.allocate(record_->cache);
    if (index == alloc::no_slot) return;
    const nanoseconds_t now = core_.time.certain();
    node& made = core_.node_at(index);
    made.ops = &does_nothing;
    made.placed = {};
    const std::uint64_t was_free = made.pair.low.load(base::relaxed);  // relaxed: a free node, its owner's
    publish_as(made.pair, state_word::make(state_word::generation(was_free), 0, timer_state::armed, 0),
               core_.ticks.round_down(now));
    driver_.insert(index, made);
    driver_.fire(now, SIZE_MAX, false);
  }

 private:
  engine_core core_;
  driver driver_;
  thread_record* record_ = nullptr;
};

rehearsal::rehearsal(bool wanted) noexcept : wanted_(wanted) {}
rehearsal::~rehearsal() = default;

void rehearsal::begin(const engine_options& of) {
  if (!wanted_) return;
  shadow_ = std::make_unique<shadow_engine>(of);
  // The first maps what the others use; the second grows what takes turns with it.
  for (int turn = 0; turn < 2; ++turn) fire_one();
}

void rehearsal::fire_one() noexcept {
  if (shadow_ != nullptr) shadow_->fire_one();
}

void rehearsal::end() noexcept { shadow_.reset(); }

}  // namespace detent::detail
