// SPDX-License-Identifier: MIT
// The places in which `detent top` looks for engines.
#pragma once
#include <string>
#include <vector>

#include "counters/counters_file.hpp"
#include "counters/file_ids.hpp"
#include "top/top_model.hpp"

namespace detent::tool {

class top_source {
 public:
  // `targets` are ids of processes, and files. Without targets, it reads every engine on the host, whose files are in
  // `directory`.
  explicit top_source(std::vector<std::string> targets, std::string directory = "/dev/shm");

  // Reads all targets; on a host, no more than host_budget allows.
  host_reading read() const;
  // Stays within the budget and says in the troubles what was left out. At most 1,024 files that were found are read.
  host_reading read(reading_budget budget) const;
  // Returns the place in words: "on this host", "in process 42".
  std::string where() const;
  // Throws input_error if none of the targets is a live engine or a live process, or if there are no targets and the
  // host's files may not be listed.
  void require_targets() const;

 private:
  void read_process(const std::string& target, host_reading& reading, reading_budget& budget, file_ids& taken) const;

  std::vector<std::string> targets_;
  std::string directory_;
};

}  // namespace detent::tool
