// SPDX-License-Identifier: MIT
// Where the engine's memory comes from, and what is asked of it.
#pragma once

#include <cstdint>
#include <optional>

namespace detent {

enum class memory_source : std::uint8_t { mmap, jemalloc };

// How much an option is wanted: not at all, where it can be had, or as a condition of starting.
enum class wish : std::uint8_t { off, attempt, require };

struct memory_options {
  // jemalloc: slabs come from an arena of the engine's own; the program must contain jemalloc.
  memory_source source = memory_source::mmap;
  wish huge_pages = wish::attempt;    // transparent 2 MiB pages under the slabs
  wish prefault = wish::off;          // touch a slab's pages when it is mapped, not when first used
  wish lock = wish::off;              // keep the pages in memory (mlock)
  std::optional<int> numa_node = {};  // bind the memory to this node; set means insisted on
};

}  // namespace detent
