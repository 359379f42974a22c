// SPDX-License-Identifier: MIT
// `detent stat`: what engines of other processes have counted, once, or a line for each interval.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "counters/counters_file.hpp"

namespace detent::tool {

enum class stat_form : std::uint8_t { text, json, prometheus };

struct stat_result {
  std::string text;
  std::vector<std::string> complaints;  // a line for each file that cannot be read
  bool failed = false;                  // a target that was named is among them
};

// Each target is the id of a process or the path of a counters file. Without targets, it takes every engine on the host
// whose counters are in `directory`, from 1,024 files at most. In a text, the shards of a set are shown as one unless
// each is asked for.
stat_result take_stat(const std::vector<std::string>& targets, stat_form form,
                      const std::string& directory = "/dev/shm", bool each_shard = false);
// The readings before a text is made of them.
struct stat_reading {
  std::vector<counters_snapshot> engines;
  std::vector<std::string> complaints;
  bool failed = false;
};
stat_reading read_stat(const std::vector<std::string>& targets, const std::string& directory = "/dev/shm",
                       reading_budget budget = {});

}  // namespace detent::tool
