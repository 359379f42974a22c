// SPDX-License-Identifier: MIT
// The memory that the engine asks for: refused on command, and accounted for. Replaced C library functions in
// allocation_hooks.cpp; where sanitizers have replaced them already, allocation_hooks_absent.cpp does nothing.
#pragma once

#include <cstddef>
#include <cstdint>

namespace detent::sim::allocations {

// From now on: grants `granted` pieces to the engine, then refuses `refused`, then grants all again.
void plan_refusals(std::uint64_t granted, std::uint64_t refused) noexcept;
// No refusals any more.
void calm() noexcept;
// Whether refusals are planned and not used up.
bool planned() noexcept;
// Pieces refused so far.
std::uint64_t refusals() noexcept;

// What the engine holds: pieces of the heap, and bytes of mappings.
struct holding {
  std::size_t pieces = 0;
  std::int64_t mapped_bytes = 0;
};
holding held() noexcept;

// Memory that this thread asks for within this scope is the engine's.
class engine_call {
 public:
  engine_call() noexcept;
  ~engine_call();
  engine_call(const engine_call&) = delete;
  engine_call& operator=(const engine_call&) = delete;
};

// The engine has called back: within this scope it is the simulation's again.
class own_code {
 public:
  own_code() noexcept;
  ~own_code();
  own_code(const own_code&) = delete;
  own_code& operator=(const own_code&) = delete;

 private:
  int depth_;
};

}  // namespace detent::sim::allocations
