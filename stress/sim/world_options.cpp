// SPDX-License-Identifier: MIT
#include "world_options.hpp"

#include <array>

namespace detent::sim {

world_habits draw_world(test::splitmix& random, std::uint64_t steps) {
  world_habits drawn;
  drawn.threads = random.one_in(4) ? 1 : 2 + static_cast<unsigned>(random.below(4));
  drawn.steps = 100 + random.below(500);
  if (steps != 0) drawn.steps = steps;
  switch (random.below(5)) {
    case 0: drawn.start = -random.magnitude(50); break;
    case 1: drawn.start = random.magnitude(60); break;
    default: drawn.start = random.magnitude(30);
  }
  drawn.delay_bits = random.pick(std::array{4u, 12u, 20u, 30u, 44u});
  drawn.tie_percent = random.pick(std::array{0u, 30u, 80u});
  drawn.edge_percent = random.pick(std::array{0u, 10u, 50u});
  drawn.periodic_percent = random.pick(std::array{0u, 15u, 60u});
  drawn.fault_percent = random.pick(std::array{0u, 0u, 5u, 30u});
  drawn.throw_percent = random.pick(std::array{0u, 5u, 40u});
  drawn.crowd = random.pick(std::array{4u, 32u, 32u, 200u});
  drawn.destroys_inside = random.one_in(4);
  drawn.far_deadlines = random.one_in(3);
  return drawn;
}

engine_habits draw_engine(test::splitmix& random) {
  engine_habits drawn;
  detent::engine_options& options = drawn.options;
  options.tick = duration(random.pick(std::array{1, 1, 1, 2, 7, 1000, 3777, 4096, 1'000'000}));
  options.wheel = random.one_in(2) ? wheel_kind::hashed : wheel_kind::hierarchical;
  options.hashed_slots = random.pick(std::array{1u, 2u, 7u, 64u, 512u});
  if (random.one_in(3)) options.capacity = 1 + random.below(40);
  options.reserve = random.pick(std::array{0u, 0u, 16u, 600u});
  options.memory.huge_pages = wish::off;
  options.on_refusal = random.pick(std::array{refusal_policy::run_inline, refusal_policy::retry, refusal_policy::drop});
  options.name = "sim";
  drawn.has_executor = random.one_in(2);
  switch (random.below(4)) {
    case 0: drawn.executor = {.run = 1, .hold = 0, .refuse = 1, .let_go = 0}; break;
    case 1: drawn.executor = {.run = 0, .hold = 1, .refuse = 0, .let_go = 0}; break;
    case 2: drawn.executor = {.run = 1, .hold = 8, .refuse = 4, .let_go = 1}; break;
    default: drawn.executor = {.run = 2, .hold = 4, .refuse = 8, .let_go = 0};
  }
  return drawn;
}

}  // namespace detent::sim
