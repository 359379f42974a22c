// SPDX-License-Identifier: MIT
#pragma once

#include "counters/counters_memory.hpp"

#include <sys/types.h>

#include <string>

namespace detent::detail {

// A file is made under another name and gets its own when it is complete. If two engines want one name, in one process
// or in two, one of them gets it.
class counters_file_memory final : public counters_memory {
 public:
  // The path "auto" stands for /dev/shm/detent.PID.NUMBER. Throws bad_alloc. What the file system refuses is reported
  // by problem().
  explicit counters_file_memory(const std::string& path);
  // Removes an `auto` file.
  ~counters_file_memory() override;

  // Returns whether this object holds a flock(LOCK_EX) on the file, which lasts as long as the object and the process.
  // A forked child does not share it.
  bool is_locked() const noexcept { return lock_ != nullptr; }
  void describe(counters_layout::header& into) const noexcept override;
  // Replaces an older file that is no longer written.
  bool publish() override;
  void withdraw() noexcept override;
  void make_private() noexcept override;

 private:
  bool make_room(std::size_t offset, std::size_t bytes) noexcept override;
  bool fail(const std::string& what, int reason);
  bool fail(const std::string& what, int reason, const std::string& why);
  bool is_auto() const noexcept { return asked_ == "auto"; }
  bool create();
  bool hold_lock();
  bool is_vacant();
  bool may_replace();
  bool is_at_name(int file) const noexcept;
  void forget_older() noexcept;
  void name_automatically(const std::string& mark);

  const std::string asked_;
  std::string path_;
  std::string unfinished_;  // the file's name before publish()
  int older_ = -1;        // the file of an ended engine with the same name; locked, so that no other engine replaces it
  void* lock_ = nullptr;  // an unused mapping of the same file, opened only for the lock
  pid_t owner_;
  bool named_ = false;
};

}  // namespace detent::detail
