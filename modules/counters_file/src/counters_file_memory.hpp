// SPDX-License-Identifier: MIT
#pragma once

#include "counters/counters_memory.hpp"

#include <sys/types.h>

#include <string>

namespace detent::detail {

// A file is made under another name and takes its own when it is complete. Of two that want one name, in one process or
// two, one gets it.
class counters_file_memory final : public counters_memory {
 public:
  // `path` "auto": /dev/shm/detent.PID.NUMBER. Throws bad_alloc; what the file system refuses is reported by problem().
  explicit counters_file_memory(const std::string& path);
  // Takes an `auto` file away.
  ~counters_file_memory() override;

  // Whether this holds a flock(LOCK_EX) on the file, for as long as it exists and the process lives. A forked child has
  // no part in it.
  bool is_locked() const noexcept { return lock_ != nullptr; }
  void describe(counters_layout::header& into) const noexcept override;
  // In place of an older file that is no longer written.
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
  std::string unfinished_;  // the name until publish()
  int older_ = -1;        // the file of an ended engine that has the name; locked, so that no other engine replaces it
  void* lock_ = nullptr;  // an unused mapping of the same file, opened for the lock alone
  pid_t owner_;
  bool named_ = false;
};

}  // namespace detent::detail
