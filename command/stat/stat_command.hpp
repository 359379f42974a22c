// SPDX-License-Identifier: MIT
// `detent stat`: what engines of other processes have counted, once.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace detent::tool {

enum class stat_form : std::uint8_t { text, json, prometheus };

struct stat_result {
  std::string text;
  std::vector<std::string> complaints;  // a line for each file that cannot be read
  bool failed = false;                  // what was asked for by name is among them
};

// Each target is the id of a process or the path of a counters file; without any, every engine on the host that
// leaves its counters in `directory`.
stat_result take_stat(const std::vector<std::string>& targets, stat_form form,
                      const std::string& directory = "/dev/shm");

}  // namespace detent::tool
