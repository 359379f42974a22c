// SPDX-License-Identifier: MIT
// How a world fails: one line that says what went wrong, one that says how to see it again, and an exit status.
#pragma once

#include <cstdint>
#include <string>

namespace detent::sim {

inline constexpr int failed_status = 1;

// What is being played, for the line that repeats it. `arguments`: what follows `stress_sim`.
void announce_world(const std::string& arguments);
void announce_step(std::uint64_t step) noexcept;
// Crashes, failed checks of the engine and a world that hangs print the same line; `seconds` is how long one may take.
void catch_crashes();
void watch_for_hang(unsigned seconds) noexcept;

// `detail` says more about `what`. Any thread.
[[noreturn]] void fail(const char* what, const std::string& detail = {});

inline void expect(bool holds, const char* what) {
  if (!holds) [[unlikely]]
    fail(what);
}
template <class A, class B>
void expect_equal(const A& seen, const B& foreseen, const char* what) {
  if (!(seen == foreseen)) [[unlikely]]
    fail(what, "seen " + std::to_string(seen) + ", foreseen " + std::to_string(foreseen));
}

}  // namespace detent::sim
