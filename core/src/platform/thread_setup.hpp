// SPDX-License-Identifier: MIT
#pragma once

#include <detent/error.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace detent::detail {

// Named from outside, because a proof has a std::thread of its own in this namespace.
using native_thread = ::std::thread::native_handle_type;

struct setup_result {
  errc problem{};
  std::string why;                 // in one line, with the cure
  std::int32_t thread_number = 0;  // this_thread_number()
};

// Sets up the calling thread: name, timer slack of 1 ns, CPU, real-time priority. Settings that were not asked
// for are not touched. A refusal names the option and the value. Threads and processes that it starts inherit all of it
// but the priority.
setup_result set_up_worker_thread(const std::string& name, std::optional<int> cpu,
                                  std::optional<int> realtime_priority);

// The first 15 characters of the name.
void name_thread(native_thread thread, const std::string& name) noexcept;
void name_this_thread(const std::string& name) noexcept;
// 0, or what errno would be.
int pin_thread(native_thread thread, int cpu) noexcept;
// Why it was refused with `problem`, and the cure.
std::string explain_pinning(int problem);
// "this host has 0-3, and this thread may use 1-2"
std::string describe_cpus();
// The CPUs that the process may use, in their order; empty where that cannot be known.
std::vector<int> usable_cpus();
// How many there are, with those that are offline.
int cpu_count() noexcept;
// The calling thread's number, by which the system's tools know it; 0 where the ground has none.
std::int32_t this_thread_number() noexcept;

}  // namespace detent::detail
