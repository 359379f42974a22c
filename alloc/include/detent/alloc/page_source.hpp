// SPDX-License-Identifier: MIT
// Memory by the page, as memory_options describe it.
#pragma once

#include <detent/alloc/memory_options.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace detent::alloc {

inline constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;

// Every call except check() may be made by any thread at any time. Each makes system calls, so none belongs on a hot
// path.
class page_source {
 public:
  // The option that the host cannot meet.
  enum class problem : std::uint8_t {
    none,
    jemalloc_absent,
    huge_pages,
    prefault,
    lock,
    numa_node,
    give_back,  // not on Linux
    no_memory
  };

  // Creates the jemalloc arena if that is the source.
  explicit page_source(const memory_options& options) noexcept;
  // Destroys the arena. All memory must have been released.
  ~page_source();
  page_source(const page_source&) = delete;
  page_source& operator=(const page_source&) = delete;

  // Tries every required option on one huge page and gives it back. Call once, before threads share the source.
  problem check() noexcept;
  // Describes the problem that check() found in one line: the option, its value and the cure. Empty for `none`.
  std::string explain(problem found) const;
  // The errno of that problem; 0 if no call was refused.
  int reason() const noexcept { return refusal_.error; }

  // Returns zeroed memory to which every preference was applied, aligned to 2 MiB from 2 MiB on, and to a page below
  // that. Returns nullptr if memory is out or a required preference was refused for this piece. If `full` is false,
  // most of the memory may never be used, so it gets huge pages only if they are required, because these are resident
  // as a whole.
  void* allocate(std::size_t bytes, bool full = true) noexcept;
  void release(void* memory, std::size_t bytes) noexcept;
  // Touches the pages of memory from allocate() now rather than at their first use, if the kernel has them.
  void touch(void* memory, std::size_t bytes) noexcept;
  // Gives the kernel the memory of the whole pages in this range, allocated here or elsewhere. They stay mapped, and
  // are zeroed when they are next touched. Locked pages are left alone.
  static void give_back(void* memory, std::size_t bytes) noexcept;

  // Zeroed memory of which only the 4 KiB pages that were written are resident. It is always a mapping, never huge and
  // never prefaulted; if locking is wished, a page is locked when it is first touched. Page-aligned; nullptr as above.
  void* allocate_sparse(std::size_t bytes) noexcept;
  void release_sparse(void* memory, std::size_t bytes) noexcept;

  // The arena's number, for mallctl("stats.arenas.<i>...."). Valid only if the source is jemalloc and check() has found
  // no problem.
  unsigned jemalloc_arena() const noexcept { return arena_; }

 private:
  struct refusal {
    problem what = problem::none;
    int error = 0;  // errno of the call that was refused
  };

  void* obtain(std::size_t bytes) noexcept;
  void discard(void* memory, std::size_t bytes) noexcept;
  refusal prepare(void* memory, std::size_t bytes, bool full) const noexcept;
  refusal bind(void* memory, std::size_t bytes) const noexcept;

  memory_options options_;
  unsigned arena_ = 0;
  bool arena_exists_ = false;
  refusal refusal_;
};

}  // namespace detent::alloc
