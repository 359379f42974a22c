// SPDX-License-Identifier: MIT
#include "driver/rehearsal.hpp"

#include "engine/engine_core.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace detent::detail {
namespace {

constexpr callable_ops does_nothing{
    .invoke = [](void*, firing&) {}, .destroy = nullptr, .relocate = [](void*, void*) noexcept {}};

constexpr std::size_t enough_slots = 64;

engine_options options_of_stage(const engine_options& of) {
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

// The engine that rehearses. It is never opened: no list has it, and no other thread knows it.
class stage {
 public:
  // Throws bad_alloc.
  explicit stage(const engine_options& of) : core_(options_of_stage(of)) {
    if (!core_.pool_.ready() || !core_.threads_.ready()) throw std::bad_alloc();
    record_ = &core_.threads_.borrow_spare();
    record_->rehearses = true;
    core_.driver_ = record_;
    core_.threads_.set_driving(*record_, true);
  }
  ~stage() { core_.threads_.give_back(*record_); }
  stage(const stage&) = delete;
  stage& operator=(const stage&) = delete;

  void fire_one() noexcept {
    const node_index index = core_.pool_.allocate(record_->cache);
    if (index == alloc::no_slot) return;
    const nanoseconds_t now = core_.time_.certain();
    node& made = core_.node_at(index);
    made.ops = &does_nothing;
    made.placement = 0;
    const std::uint64_t was_free = made.pair.low.load(base::relaxed);  // relaxed: a free node, its owner's
    publish_as(made.pair, state_word::make(state_word::generation(was_free), 0, timer_state::armed, 0),
               core_.ticks_.round_down(now));
    core_.file(index, made);
    core_.fire_pass(now, SIZE_MAX, false);
  }

 private:
  engine_core core_;
  thread_record* record_;
};

rehearsal::rehearsal(bool wanted) noexcept : wanted_(wanted) {}
rehearsal::~rehearsal() = default;

void rehearsal::begin(const engine_options& of) {
  if (!wanted_) return;
  stage_ = std::make_unique<stage>(of);
  // The first maps what the others use; the second grows what takes turns with it.
  for (int turn = 0; turn < 2; ++turn) fire_one();
}

void rehearsal::fire_one() noexcept {
  if (stage_ != nullptr) stage_->fire_one();
}

void rehearsal::end() noexcept { stage_.reset(); }

}  // namespace detent::detail
