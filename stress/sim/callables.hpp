// SPDX-License-Identifier: MIT
// The callables that timers carry: each kind that an engine distinguishes.
#pragma once

#include <detent/firing.hpp>

#include "account.hpp"

#include <array>
#include <cstdint>
#include <utility>

namespace detent::sim {

class world;

// What the callables report to the world (world_runs.cpp).
void callable_runs(world& in, timer_id id, firing* run);
void callable_destroyed(world& in, timer_id id);

struct copy_failed {};

// Reports the one destruction of what it is part of.
class witness {
 public:
  witness(world& in, timer_id id) noexcept : in_(&in), id_(id) {}
  witness(witness&& other) noexcept : in_(std::exchange(other.in_, nullptr)), id_(other.id_) {}
  witness& operator=(witness&&) = delete;
  ~witness() {
    if (in_ != nullptr) callable_destroyed(*in_, id_);
  }
  void run(firing* run) const { callable_runs(*in_, id_, run); }

 private:
  world* in_;
  timer_id id_;
};

// Copied bit by bit, and nothing to destroy.
struct packed_callable {
  world* in;
  timer_id id;
  void operator()(firing& run) const { callable_runs(*in, id, &run); }
};
// The same, and does not ask for the firing.
struct blind_callable {
  world* in;
  timer_id id;
  void operator()() const { callable_runs(*in, id, nullptr); }
};
// Lives in the node, with something to destroy.
struct owning_callable {
  witness seen;
  void operator()(firing& run) const { seen.run(&run); }
};
// Too large for the node.
struct boxed_callable {
  witness seen;
  std::array<std::uint64_t, 7> filling{1, 2, 3, 4, 5, 6, 7};
  void operator()(firing& run) const { seen.run(&run); }
};
// May throw while it is moved, and so is not noexcept.
struct fragile_callable {
  fragile_callable(witness&& seen_by, bool throws) : seen(std::move(seen_by)), breaks(throws) {}
  // NOLINTNEXTLINE(performance-noexcept-move-constructor)
  fragile_callable(fragile_callable&& other) : seen(std::move(unless_broken(other).seen)), breaks(other.breaks) {}
  void operator()(firing& run) const { seen.run(&run); }

  witness seen;
  bool breaks;

 private:
  static fragile_callable& unless_broken(fragile_callable& other) {
    if (other.breaks) throw copy_failed{};
    return other;
  }
};

enum class callable_kind : std::uint8_t { packed, blind, owning, boxed, fragile };
inline bool is_witnessed(callable_kind kind) noexcept { return kind >= callable_kind::owning; }
inline bool is_boxed(callable_kind kind) noexcept { return kind >= callable_kind::boxed; }

}  // namespace detent::sim
