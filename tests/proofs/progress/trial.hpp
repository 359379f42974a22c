// SPDX-License-Identifier: MIT
// One trial: in a child process, a victim stops for ever at one operation, and the others' calls are watched.
#pragma once

#include <search/meetings/hooks.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

namespace progress {

// Most operations that a call of another thread may need, whatever the victim does.
inline constexpr std::uint64_t call_budget = 128;
// A thread that takes a magazine from the depot reads all of its 256 nodes.
inline constexpr std::uint64_t refill_budget = 512;
// Some for each entry that the victim submitted and each node that it left.
inline constexpr std::uint64_t poll_budget = 65536;
// Each node there ever was is some operations.
inline constexpr std::uint64_t list_budget = 16'384;
// Each bucket of the histogram is an operation.
inline constexpr std::uint64_t metrics_budget = 60'000;

// The parent process's view of the child.
struct trial_report {
  std::array<char, 160> suspended_at{};  // empty: the victim came to its end
  std::array<char, 64> probe{};          // what another thread is at
  std::atomic<std::uint64_t> most_in_a_call{0};
};
trial_report& shared_report();

// For another thread's call: it takes at most `budget` operations, or the process ends.
void probe(const char* what, std::uint64_t budget, const std::function<void()>& call);
inline void probe(const char* what, const std::function<void()>& call) { probe(what, call_budget, call); }
// A call whose end has to come, but not in a number of operations of its own: it waits for another thread's.
void probe_wait(const char* what, const std::function<bool()>& done);
// The result of a call was wrong: ends the process.
void require(bool condition, const char* what);

// The victim's part, on a thread of its own: what comes before hooks::park_at() is preparation.
class victim {
 public:
  // Returns when the victim is suspended or has come to its end, the destructors of its thread included.
  explicit victim(const std::function<void()>& whole);
  static bool suspended();
  // For victims that are no thread of the test's: waits until one is suspended or `at_end`.
  static bool wait_suspended(const std::atomic<bool>& at_end);
};

struct outcome {
  enum kind : std::uint8_t { suspended, at_end, too_many_operations, hangs, wrong } what;
  std::string says;
};
// Runs `body` in a child, with a time limit that only a hang exceeds.
outcome run_child(const std::function<void()>& body, unsigned seconds = 30);

// For n = 0, 1, 2, ... until the victim of trial(n) comes to its end: nobody else may be kept from his. Says how many
// operations there were to stop at.
std::uint64_t for_each_operation(const char* scenario, const std::function<void(std::uint64_t)>& trial);

}  // namespace progress
