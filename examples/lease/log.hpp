// SPDX-License-Identifier: MIT
// What a contender says of itself: one line for each event, EVENT KEY=NUMBER... [why=TEXT], whole whichever thread it
// comes from, and out of the process before the next step is taken.
#pragma once

#include "boot_clock.hpp"

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <utility>

namespace lease {

using field = std::pair<std::string_view, std::int64_t>;

inline field at(std::string_view key, boot_time time) { return {key, time.time_since_epoch().count()}; }

void log(std::string_view event, std::initializer_list<field> fields, std::string_view why = {});

}  // namespace lease
