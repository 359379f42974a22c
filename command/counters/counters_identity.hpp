// SPDX-License-Identifier: MIT
// The identity of an engine by the header of its counters file, in terms of the process that reads it.
#pragma once
#include <detent/counters_layout.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

#include "counters/counters_snapshot.hpp"

namespace detent::tool {

// `header` must have passed check_header().
engine_identity identity_in(const counters_layout::header& header, const std::string& path);
// Converts a time of the engine's CLOCK_MONOTONIC into this process's. Each of the two may be in a time namespace of
// its own.
std::int64_t in_own_time(const counters_layout::header& header, std::int64_t time);
// Returns a text of the file, which ends at a NUL or with its field.
std::string printable_name(const char* text, std::size_t most);

}  // namespace detent::tool
