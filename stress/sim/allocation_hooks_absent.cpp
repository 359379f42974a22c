// SPDX-License-Identifier: MIT
// For sanitized builds: memory is never refused, and the sanitizer finds what is left behind.
#include "allocations.hpp"

namespace detent::sim::allocations {

void plan_refusals(std::uint64_t, std::uint64_t) noexcept {}
void calm() noexcept {}
bool planned() noexcept { return false; }
std::uint64_t refusals() noexcept { return 0; }
holding held() noexcept { return {}; }
engine_call::engine_call() noexcept = default;
engine_call::~engine_call() = default;
own_code::own_code() noexcept : depth_(0) { static_cast<void>(depth_); }
own_code::~own_code() = default;

}  // namespace detent::sim::allocations
