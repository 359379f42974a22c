// SPDX-License-Identifier: MIT
// An engine needs some parts of the library by its options alone. An engine that is made without options gets none of
// them, so a program that makes no other is linked without them.
#pragma once

#include "counters/counters_memory.hpp"
#include "observe/recording_port.hpp"

namespace detent::detail {

// Members are null if the options do not ask for them.
struct optional_parts {
  counters_file_maker make_counters_file = nullptr;
  recording_opener open_recording = nullptr;
};

}  // namespace detent::detail
