// SPDX-License-Identifier: MIT
// Where `detent top` looks for engines.
#pragma once
#include <string>
#include <vector>

#include "counters/counters_file.hpp"
#include "counters/file_ids.hpp"
#include "top/top_model.hpp"

namespace detent::tool {

class top_source {
 public:
  // `targets`: ids of processes, and files; none: every engine on the host, whose files are in `directory`.
  explicit top_source(std::vector<std::string> targets, std::string directory = "/dev/shm");

  // Reads all that was named; of a host no more than host_budget allows.
  host_reading read() const;
  // With no more memory than the budget; says in the troubles what was left out. Of files that were found, no more
  // than 1,024 are read.
  host_reading read(reading_budget budget) const;
  // Where that is, in words: "on this host", "in process 42".
  std::string where() const;
  // Throws input_error if, of the targets, none is a live engine or a live process, or if there are no targets and the
  // host's files may not be listed.
  void require_targets() const;

 private:
  void read_process(const std::string& target, host_reading& reading, reading_budget& budget, file_ids& taken) const;

  std::vector<std::string> targets_;
  std::string directory_;
};

}  // namespace detent::tool
