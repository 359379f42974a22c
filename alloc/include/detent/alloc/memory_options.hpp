// SPDX-License-Identifier: MIT
// The source of the engine's memory, and how its pages are mapped.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace detent {

enum class memory_source : std::uint8_t { mmap, jemalloc };

// How much an option is wanted: not at all, if it is available, or as a condition of starting.
enum class preference : std::uint8_t { off, attempt, require };

struct memory_options {
  // Where slabs come from. jemalloc: from an arena of the engine's own; the program must contain jemalloc. Default:
  // mmap.
  memory_source source = memory_source::mmap;
  // Transparent 2 MiB pages under the slabs, each of 32,768 timers. attempt: if they are available, and not under the
  // first slab of an engine that reserves less. require: for all slabs; refused if the kernel has none. Default:
  // attempt.
  preference huge_pages = preference::attempt;
  // Touches a slab's pages when it is mapped, not when they are first used. Default: off.
  preference prefault = preference::off;
  // Keeps the pages in memory, by mlock; needs CAP_IPC_LOCK or as great an RLIMIT_MEMLOCK. Default: off.
  preference lock = preference::off;
  // Binds the memory to this node, from 0 on; the constructor throws if it cannot. Default: none, the kernel chooses.
  std::optional<int> numa_node = {};
  // Memory that a burst has left goes back to the kernel once it has been free for this long, after twice as long at
  // the latest. It goes in pieces of 64 KiB and more, by the worker when it has nothing else to do: after each burst it
  // wakes up once or twice for it. If callers cancel timers while the worker sleeps, it notices that memory when it
  // next wakes up. Later timers in that memory cost a page fault for each 64 of them. An engine without a worker keeps
  // its memory; every engine keeps what few timers have besides their 64 bytes. Refused with invalid_option if it is
  // negative, or if `lock` is to keep the pages. Default: 0, never.
  std::chrono::nanoseconds give_back_after{0};
};

}  // namespace detent
