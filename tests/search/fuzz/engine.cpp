// SPDX-License-Identifier: MIT
// Fuzz target: an engine as a machine whose code the bytes are, beside the specification. The first two bytes are the
// setting, then each step is a byte for what it does and one for each of its numbers.
#include <detent/engine.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "search/fuzz/target.hpp"
#include "search/histories/contest.hpp"
#include "search/histories/engine_world.hpp"

namespace detent::fuzz {
namespace {

using history::action;
using history::nanoseconds_t;

constexpr std::size_t most_steps = 400;  // a longer history finds nothing that its parts do not

// Zeros where the bytes have ended.
class tape {
 public:
  tape(const std::uint8_t* data, std::size_t size) : at_(data), end_(data + size) {}
  bool ended() const { return at_ == end_; }
  std::uint8_t byte() { return ended() ? std::uint8_t{0} : *at_++; }
  // 0 to 63 are themselves; above are the powers of two, one less, and one more. The last is the end of time.
  nanoseconds_t delay() {
    const std::uint8_t coded = byte();
    if (coded < 64) return coded;
    const unsigned power = coded % 64;
    if (power == 63) return detail::forever;
    return (nanoseconds_t{1} << power) + coded / 64 - 2;
  }

 private:
  const std::uint8_t *at_, *end_;
};

history::setting setting_from(tape& code) {
  constexpr std::array<nanoseconds_t, 4> ticks{1, 1, 3, 1'000};
  constexpr std::array<std::size_t, 4> slots{512, 8, 1, 64};
  const std::uint8_t shape = code.byte();
  history::setting where;
  where.wheel = shape % 2 == 0 ? wheel_kind::hierarchical : wheel_kind::hashed;
  where.tick = ticks[shape / 2 % 4];
  where.slots = slots[shape / 8 % 4];
  where.start = code.delay();
  if (shape >= 128) where.start = -where.start;
  return where;
}

history::operation step_from(tape& code) {
  const std::uint8_t coded = code.byte();
  history::operation step{.what = static_cast<action>(coded % history::kinds_of_action)};
  switch (step.what) {
    case action::cancel: step.target = code.byte(); break;
    case action::restart:
      step.target = code.byte();
      step.by = code.delay();
      break;
    case action::ask: break;
    case action::poll: step.by = coded >= 128 ? history::all : coded / 16; break;
    case action::schedule:
    case action::advance: step.by = code.delay(); break;
    default:
      step.by = code.delay();
      step.period = 1 + code.delay() / 2;
      step.runs = 1 + coded / 32U;
  }
  if (step.what == action::schedule && coded >= 192) step.by = -step.by;
  return step;
}

}  // namespace
}  // namespace detent::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace detent;
  fuzz::tape code(data, size);
  const history::setting where = fuzz::setting_from(code);
  std::vector<history::operation> steps;
  while (!code.ended() && steps.size() < fuzz::most_steps) steps.push_back(fuzz::step_from(code));

  history::engine_world world(where);
  history::contest<history::engine_world> both(world, where);
  if (!both.agree(where.start, steps, {})) {
    fuzz::require(false, "the engine does what is specified",
                  both.difference() + "\nrepeat it with --replay \"" + history::text(where, steps) + '"');
  }
  return 0;
}
