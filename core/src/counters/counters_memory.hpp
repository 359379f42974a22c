// SPDX-License-Identifier: MIT
#pragma once

#include <detent/error.hpp>

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <string>

namespace detent::detail {

// Zeroed memory of this process alone, or of a file that other processes read. The file is made under another name and
// takes its own when it is complete. Not for use by two threads at once; of two that want one name, in one process
// or two, one gets it.
class counters_memory {
 public:
  // `path` empty: no file; "auto": /dev/shm/detent.PID.NUMBER. Throws bad_alloc; what the file system refuses is
  // reported by problem().
  explicit counters_memory(const std::string& path);
  // Takes an `auto` file away.
  ~counters_memory();
  counters_memory(const counters_memory&) = delete;
  counters_memory& operator=(const counters_memory&) = delete;

  // Says what went wrong so far; empty if nothing did.
  const std::string& problem() const noexcept { return problem_; }
  errc code() const noexcept { return code_; }  // of problem()
  bool is_file() const noexcept { return file_ >= 0; }
  // Whether this holds a flock(LOCK_EX) on the file, for as long as it exists and the process lives. A forked child has
  // no part in it.
  bool is_locked() const noexcept { return lock_ != nullptr; }
  // The file's bytes from `offset` on, both whole pages; the file is grown, and its blocks reserved, so that no access
  // can fail later. Null: there is no memory, or no room.
  std::byte* map(std::size_t offset, std::size_t bytes) noexcept;
  // Gives the file its name, in place of an older one that is no longer written. False: see problem(). Throws
  // bad_alloc.
  bool publish();
  // No more of the file's name, if it is one that this made.
  void withdraw() noexcept;
  // In the child of a fork: what it writes is its own from now on, and the file is its parent's.
  void make_private() noexcept;

 private:
  struct piece {
    std::byte* at;
    std::size_t offset;
    std::size_t bytes;
  };
  bool fail(const std::string& what, int reason);
  bool fail(const std::string& what, int reason, const std::string& why);
  bool is_auto() const noexcept { return asked_ == "auto"; }
  bool create();
  bool hold_lock();
  bool is_vacant();
  bool may_replace();
  bool is_at_name(int file) const noexcept;
  void forget_older() noexcept;
  void name_automatically(const std::string& mark) { path_ = "/dev/shm/detent." + mark; }

  const std::string asked_;
  std::string path_;
  std::string unfinished_;  // the name until publish()
  std::string problem_;
  errc code_{};
  int file_ = -1;
  int older_ = -1;        // the file of an ended engine that has the name; locked, so that no other engine replaces it
  void* lock_ = nullptr;  // an unused mapping of the same file, opened for the lock alone
  pid_t owner_;
  bool named_ = false;
  std::array<piece, 256> pieces_{};
  std::size_t count_ = 0;
};

}  // namespace detent::detail
