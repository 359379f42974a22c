// SPDX-License-Identifier: MIT
// The clocks of nodes and stores, which a test moves.
#pragma once

#include "../src/stores/clocks.hpp"

#include <detent/manual_clock.hpp>

#include <chrono>

namespace durable_test {

inline detent::manual_clock machine;
inline const detent::durable::virtual_time time_of_machine{&machine,
                                                           detent::wall_time(std::chrono::seconds(1'700'000'000))};
inline const detent::durable::detail::clocks here(time_of_machine);

}  // namespace durable_test
