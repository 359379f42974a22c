// SPDX-License-Identifier: MIT
// How an operation is counted: callgrind's counters are set to zero before its loop and dumped under its name after it,
// and a line "NAME TIMES LOOP" on stdout says by how many to divide, and which empty loop to take off.
#pragma once

#include <valgrind/callgrind.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>

namespace detent::instructions {

// The number of timers that every loop goes through.
inline constexpr std::uint32_t live = 100'000;

// Stands for a loop if there is none to subtract.
inline constexpr const char* no_loop = "-";

// The counted operation must have happened. If not, says so on stderr and ends the program.
inline void require(bool holds, const char* name, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s: %s\n", name, what);
  std::exit(1);
}

// Forces an argument into a register for the loops that do not make the call.
template <class T>
void have(T argument) {
  __asm__ __volatile__("" : : "r"(argument));
}

// Makes a result for an empty loop to store. The compiler does not know its value, and it takes no instruction.
template <class T>
T unknown() {
  T result;
  __asm__ __volatile__("" : "=r"(result));
  return result;
}

// Keeps the compiler from carrying memory contents over from one turn of a loop to the next.
inline void end_turn() { __asm__ __volatile__("" : : : "memory"); }

template <class Body>
[[gnu::noinline]] void count(const char* name, const char* loop, std::uint64_t times, const Body& body) {
  CALLGRIND_ZERO_STATS;
  body();
  CALLGRIND_DUMP_STATS_AT(name);
  std::printf("%s %llu %s\n", name, static_cast<unsigned long long>(times), loop);
}

// Counts results[i] = operation(i) for all results. Empty loops are made by it too, so that they have the same shape.
template <class Result, class Operation>
void count_each(const char* name, const char* loop, std::span<Result> results, const Operation& operation) {
  count(name, loop, results.size(), [&] {
    // Copies stay in registers, because their address is never taken.
    const Operation run = operation;
    const std::span<Result> out = results;
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = run(i);
      end_turn();
    }
  });
}

}  // namespace detent::instructions
