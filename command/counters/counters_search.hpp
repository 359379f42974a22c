// SPDX-License-Identifier: MIT
// Which engines there are on this host, and whether they live.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "counters/counters_snapshot.hpp"
#include "host/host_files.hpp"
#include "text/input_error.hpp"

namespace detent::tool {

// The files /dev/shm/detent.PID.NUMBER, by process and number. Whether they are what their names say is not checked.
// Callers open them as found, not named. Throws input_error where the directory is there and may not be listed.
std::vector<std::string> automatic_files_of_host(const std::string& directory = "/dev/shm");
// Those, and after them the other counters files in the directory, by name: engine_options::counters_file named them.
std::vector<std::string> counters_files_of_host(const std::string& directory = "/dev/shm");
// The most of them that are read at a time: any user may leave a hundred thousand in the directory.
inline constexpr std::size_t most_files_of_host = 1024;
// The counters files of one process, those above and those that it has mapped elsewhere. Throws
// input_error where there are none of the ones and the others may not be seen.
std::vector<std::string> counters_files_of(std::int64_t process, const std::string& directory = "/dev/shm");

// Whether `target`, a process or a file, is a process: digits alone.
bool is_process(const std::string& target);

// Thrown for a file that says of an engine that it lives, though its process is gone, or another has its id.
class stale_file : public input_error {
 public:
  using input_error::input_error;
};

// Says why the engine is gone, as in "process 42 is gone", though its file says that it lives; empty if it lives or has
// ended. Goes by the lock on its file, which every namespace sees; by its process where the file has no lock, or where
// `host` is a copy. Throws input_error if the host does not say.
std::string absence_of_owner(const counters_snapshot& snapshot, const host_files& host = host_files());

// Throws stale_file if absence_of_owner() says that the engine is gone.
void require_owner(const counters_snapshot& snapshot, const host_files& host = host_files());

}  // namespace detent::tool
