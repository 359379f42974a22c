// SPDX-License-Identifier: MIT
#pragma once

#include <detent/error.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace detent::detail {

// Named here, because a proof has a std::thread of its own in this namespace.
using native_thread = ::std::thread::native_handle_type;

struct setup_result {
  errc problem{};
  std::string why;                 // one line, with the cure
  std::int32_t thread_number = 0;  // as this_thread_number() returns it
};

// Sets up the calling thread: its name, a timer slack of 1 ns, its CPU and its real-time priority. Settings that were
// not asked for are left alone. A refusal names the option and the value. Threads and processes that it starts inherit
// everything except the priority.
setup_result set_up_worker_thread(const std::string& name, std::optional<int> cpu,
                                  std::optional<int> realtime_priority);

// Sets the first 15 characters of the name.
void name_thread(native_thread thread, const std::string& name) noexcept;
void name_this_thread(const std::string& name) noexcept;
// Returns 0 or an errno.
int pin_thread(native_thread thread, int cpu) noexcept;
// Says why pinning was refused with `problem`, and the cure.
std::string explain_pinning(int problem);
// Returns a text such as "this host has 0-3, and this thread may use 1-2".
std::string describe_cpus();
// Returns in ascending order the CPUs that the process may use. Empty if they cannot be known.
std::vector<int> usable_cpus();
// Returns their number, including those that are offline.
int cpu_count() noexcept;
// Returns the NUMA node of a CPU, or nothing if there is no such CPU or no /sys.
std::optional<int> numa_node_of(int cpu);
// Says why there is none, and the cure. The text follows "the node of CPU".
const char* explain_no_node() noexcept;
// Returns the number by which the system's tools know the calling thread, or 0 if the platform has none.
std::int32_t this_thread_number() noexcept;

}  // namespace detent::detail
