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

// How many timers every loop goes through.
inline constexpr std::uint32_t live = 100'000;

// Where there is no loop to take off.
inline constexpr const char* no_loop = "-";

// What happened must be what was to be counted: says so on stderr and ends the program if not.
inline void require(bool holds, const char* name, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s: %s\n", name, what);
  std::exit(1);
}

// An argument of a call that an empty loop does not make: the compiler must have it in a register here.
template <class T>
void have(T argument) {
  __asm__ __volatile__("" : : "r"(argument));
}

// A result that an empty loop stores: known to nobody, and there without an instruction.
template <class T>
T unknown() {
  T result;
  __asm__ __volatile__("" : "=r"(result));
  return result;
}

// The compiler carries nothing in memory over from one turn of a loop to the next.
inline void end_turn() { __asm__ __volatile__("" : : : "memory"); }

template <class Body>
[[gnu::noinline]] void count(const char* name, const char* loop, std::uint64_t times, const Body& body) {
  CALLGRIND_ZERO_STATS;
  body();
  CALLGRIND_DUMP_STATS_AT(name);
  std::printf("%s %llu %s\n", name, static_cast<unsigned long long>(times), loop);
}

// Counts results[i] = operation(i) through all results. Empty loops are made by it too, so that their shape is the
// same.
template <class Result, class Operation>
void count_each(const char* name, const char* loop, std::span<Result> results, const Operation& operation) {
  count(name, loop, results.size(), [&] {
    // Copies, which stay in registers: nobody has their address.
    const Operation run = operation;
    const std::span<Result> out = results;
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = run(i);
      end_turn();
    }
  });
}

}  // namespace detent::instructions
