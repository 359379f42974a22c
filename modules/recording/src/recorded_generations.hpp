// SPDX-License-Identifier: MIT
// Keeps the generations of timers that a recording knows, so that it can report more about them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace detent::detail {

// Remembers the last 32 generations of each node, by index, in twelve bytes for each node. The end of a generation may
// be reported after a later one has begun, but not more than 31 generations later.
class recorded_generations {
 public:
  enum class state : std::uint8_t { unknown, armed, fired };

  // Throws bad_alloc.
  void arm(std::uint64_t id) {
    const std::size_t index = index_of(id);
    if (index >= nodes_.size()) nodes_.resize(index + 1 + index / 2);
    window& of = nodes_[index];
    const std::uint32_t generation = generation_of(id);
    if (generation > of.newest) {
      const std::uint32_t later = generation - of.newest;
      of.armed = later < 32 ? of.armed << later : 0;
      of.fired = later < 32 ? of.fired << later : 0;
      of.newest = generation;
    }
    set(of, generation, true, false);
  }
  void fire(std::uint64_t id) noexcept { end(id, true); }
  void cancel(std::uint64_t id) noexcept { end(id, false); }
  state look_up(std::uint64_t id) const noexcept {
    const std::size_t index = index_of(id);
    if (index >= nodes_.size()) return state::unknown;
    const std::uint32_t bit = bit_of(nodes_[index], generation_of(id));
    if ((nodes_[index].armed & bit) != 0) return state::armed;
    return (nodes_[index].fired & bit) != 0 ? state::fired : state::unknown;
  }

 private:
  // Bit N stands for the generation N before the newest.
  struct window {
    std::uint32_t newest = 0, armed = 0, fired = 0;
  };
  static std::size_t index_of(std::uint64_t id) noexcept { return static_cast<std::uint32_t>(id); }
  static std::uint32_t generation_of(std::uint64_t id) noexcept { return static_cast<std::uint32_t>(id >> 32); }
  // Returns 0 if it was too long ago or never.
  static std::uint32_t bit_of(const window& of, std::uint32_t generation) noexcept {
    const std::uint32_t ago = of.newest - generation;
    return ago < 32 ? std::uint32_t{1} << ago : 0;
  }
  static void set(window& of, std::uint32_t generation, bool armed, bool fired) noexcept {
    const std::uint32_t bit = bit_of(of, generation);
    of.armed = armed ? of.armed | bit : of.armed & ~bit;
    of.fired = fired ? of.fired | bit : of.fired & ~bit;
  }
  void end(std::uint64_t id, bool fired) noexcept {
    if (index_of(id) < nodes_.size()) set(nodes_[index_of(id)], generation_of(id), false, fired);
  }

  std::vector<window> nodes_;
};

}  // namespace detent::detail
