// SPDX-License-Identifier: MIT
#include "support/engines.hpp"

#include <array>
#include <memory>

namespace stress {

using namespace std::chrono_literals;

detent::engine_options inline_options(random_numbers& random) {
  detent::engine_options options;
  options.wheel = random.one_in(3) ? detent::wheel_kind::hashed : detent::wheel_kind::hierarchical;
  constexpr std::array<detent::duration, 5> ticks{1ns, 1ns, 1us, 3777ns, 1ms};
  options.tick = ticks[random.below(ticks.size())];
  switch (random.below(3)) {
    case 0: options.wait = detent::wait_options::busy(); break;
    case 1: options.wait = detent::wait_options::hybrid(); break;
    default: options.wait = detent::wait_options::sleep();
  }
  options.reserve = random.one_in(2) ? 0 : 65536;
  return options;
}

detent::engine_options random_options(random_numbers& random) {
  detent::engine_options options = inline_options(random);
  if (!random.one_in(3)) return options;
  options.executor = std::make_shared<detent::thread_pool>(detent::thread_pool_options{
      .threads = 1 + random.below(2), .queue_capacity = random.one_in(2) ? std::size_t{64} : std::size_t{65536}});
  options.on_refusal = random.one_in(2) ? detent::refusal_policy::run_inline : detent::refusal_policy::retry;
  return options;
}

detent::duration random_delay(random_numbers& random) {
  const std::uint64_t magnitude = random.below(5);
  if (magnitude == 0) return 0ns;
  return detent::duration(random.below(std::uint64_t{1} << (8 + 4 * magnitude)));
}

detent::time_point rounded(detent::time_point deadline, detent::duration tick) {
  const auto past = deadline.time_since_epoch() % tick;
  return past == detent::duration(0) ? deadline : deadline + (tick - past);
}

}  // namespace stress
