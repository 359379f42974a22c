// SPDX-License-Identifier: MIT
// `detent stat --tidy`: removes the counters files of processes that were killed.
#pragma once
#include <string>

#include "stat/stat_command.hpp"

namespace detent::tool {

// Removes those files /dev/shm/detent.PID.NUMBER whose engine is gone without having ended. The text has a line for
// each file that was removed. A file that could not be removed is a complaint and sets `failed`. Files that cannot be
// read are left alone.
stat_result tidy_stat(const std::string& directory = "/dev/shm");

}  // namespace detent::tool
