// SPDX-License-Identifier: MIT
#pragma once

#include <detent/error.hpp>

#include <pthread.h>

#include <optional>
#include <string>

namespace detent::detail {

struct setup_result {
  errc problem{};
  std::string why;  // in one line, with the cure
};

// Sets up the calling thread: name, timer slack of 1 ns, CPU, real-time priority. Settings that were not asked
// for are not touched. A refusal names the option and the value. Threads and processes that it starts inherit all of it
// but the priority.
setup_result set_up_worker_thread(const std::string& name, std::optional<int> cpu,
                                  std::optional<int> realtime_priority);

// The first 15 characters of the name.
void name_this_thread(const std::string& name) noexcept;
// 0, or what errno would be.
int pin_thread(pthread_t thread, int cpu) noexcept;
// Why it was refused with `problem`, and the cure.
std::string explain_pinning(int problem);
// "this host has 0-3, and this thread may use 1-2"
std::string describe_cpus();

}  // namespace detent::detail
