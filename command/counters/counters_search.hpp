// SPDX-License-Identifier: MIT
// Finds the engines on this host, and whether they live.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "counters/counters_snapshot.hpp"
#include "host/host_files.hpp"
#include "text/input_error.hpp"

namespace detent::tool {

// Returns the files /dev/shm/detent.PID.NUMBER in the order of processes and numbers. It does not check whether they
// are what their names say, so callers open them as found, not as named. Throws input_error if the directory exists and
// may not be listed.
std::vector<std::string> automatic_files_of_host(const std::string& directory = "/dev/shm");
// Returns those files, and after them, by name, the other counters files in the directory, which were named by
// engine_options::counters_file.
std::vector<std::string> counters_files_of_host(const std::string& directory = "/dev/shm");
// At most this many of them are read at a time, because any user may leave a hundred thousand in the directory.
inline constexpr std::size_t most_files_of_host = 1024;
// Returns the counters files of one process: those above, and those that it has mapped elsewhere. Throws input_error if
// there are none above and the mapped ones may not be seen.
std::vector<std::string> counters_files_of(std::int64_t process, const std::string& directory = "/dev/shm");

// Returns whether `target` is a process, which is named by digits alone, and not a file.
bool is_process(const std::string& target);

// Thrown for a file that says that its engine lives, although its process is gone or another process has the id.
class stale_file : public input_error {
 public:
  using input_error::input_error;
};

// Says why the engine is gone although its file says that it lives, as in "process 42 is gone". Returns an empty text
// if the engine lives or has ended. It relies on the lock on the file, which every namespace sees; without a lock, or
// if `host` is a copy, on the process. Throws input_error if the host does not say.
std::string absence_of_owner(const counters_snapshot& snapshot, const host_files& host = host_files());

// Throws stale_file if absence_of_owner() says that the engine is gone.
void require_owner(const counters_snapshot& snapshot, const host_files& host = host_files());

}  // namespace detent::tool
