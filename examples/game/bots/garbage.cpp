// SPDX-License-Identifier: MIT
// Each time one of three kinds of nonsense.
#include "bots/garbage.hpp"

#include "match/rules.hpp"

namespace game {

garbage_source::garbage_source(bot_world& world) : world_(world) {
  if (world_.wrong.garbage == 0) return;
  const detent::duration period = detent::duration(1s) / world_.wrong.garbage;
  world_.loop.timers().schedule_at_fixed_rate(period, period, [this] { send_one(); });
}

void garbage_source::send_one() {
  std::mt19937_64& random = world_.random;
  wire::encode(wire::inputs{.key = random(), .newest = 1, .last = {{.what = action::shield}}}, bytes_);
  switch (random() % 3) {
    case 0: break;
    case 1: bytes_.resize(random() % bytes_.size()); break;
    default:
      bytes_.resize(random() % (2 * longest_datagram));
      for (std::byte& one : bytes_) one = static_cast<std::byte>(random() & 0xff);
  }
  world_.counts.garbage += socket_.send(world_.server, bytes_);
}

}  // namespace game
