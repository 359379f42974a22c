// SPDX-License-Identifier: MIT
// Where the engine's memory comes from, and what is asked of it.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace detent {

enum class memory_source : std::uint8_t { mmap, jemalloc };

// How much an option is wanted: not at all, where it can be had, or as a condition of starting.
enum class wish : std::uint8_t { off, attempt, require };

struct memory_options {
  // Where slabs come from. jemalloc: from an arena of the engine's own; the program must contain jemalloc. mmap.
  memory_source source = memory_source::mmap;
  // Transparent 2 MiB pages under the slabs, of 32,768 timers: where they can be had, and not under the first slab of
  // an engine that reserves less; require is refused where the kernel has none, and holds for all slabs.
  wish huge_pages = wish::attempt;
  // A slab's pages are touched when it is mapped, and not when they are first used. Off.
  wish prefault = wish::off;
  // The pages are kept in memory, by mlock; needs CAP_IPC_LOCK or as great an RLIMIT_MEMLOCK. Off.
  wish lock = wish::off;
  // The memory is bound to this node, from 0 on, or the constructor throws. None: wherever the kernel takes it.
  std::optional<int> numa_node = {};
  // Memory that a burst has left goes back to the kernel once it has been free for this long, at the latest after twice
  // as long; 0: never. In pieces of 64 KiB and more, by the worker when it has nothing else to do: after each burst it
  // wakes up once or twice for it. What is freed while it sleeps, by callers that cancel, it notices when it next wakes
  // up. Later timers in that memory cost a page fault for each 64 of them. An engine without a worker keeps its memory,
  // and so does what few timers have besides their 64 bytes. Refused, by invalid_option, where it is negative, or where
  // `lock` is to keep the pages.
  std::chrono::nanoseconds give_back_after{0};
};

}  // namespace detent
