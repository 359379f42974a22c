// SPDX-License-Identifier: MIT
// `detent stat --tidy`: removes the counters files of processes that were killed.
#pragma once
#include <string>

#include "stat/stat_command.hpp"

namespace detent::tool {

// Of the files /dev/shm/detent.PID.NUMBER those whose engine is gone without an end. The text has a line for each that
// was removed; what could not be removed is a complaint, and then `failed` is set. What cannot be read stays as it is.
stat_result tidy_stat(const std::string& directory = "/dev/shm");

}  // namespace detent::tool
