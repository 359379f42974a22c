// SPDX-License-Identifier: MIT
#pragma once

#include <grp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace detent::hostile {

// Makes this process one of nobody's, without capabilities, real-time priorities or locked memory; for good, so in a
// child of its own. False where that is not permitted.
inline bool drop_privileges() {
  constexpr unsigned nobody = 65534;
  const rlimit none{0, 0};
  if (setrlimit(RLIMIT_RTPRIO, &none) != 0 || setrlimit(RLIMIT_MEMLOCK, &none) != 0) return false;
  // A change from root to another user gives up every capability.
  if (getuid() == 0 &&
      (setgroups(0, nullptr) != 0 || setresgid(nobody, nobody, nobody) != 0 || setresuid(nobody, nobody, nobody) != 0))
    return false;
  return prctl(PR_SET_NO_NEW_PRIVS, 1UL, 0UL, 0UL, 0UL) == 0;
}

// A soft limit for as long as this lives.
class lowered_limit {
 public:
  lowered_limit(__rlimit_resource what, rlim_t soft) : what_(what) {
    getrlimit(what_, &before_);
    const rlimit lower{soft, before_.rlim_max};
    set_ = setrlimit(what_, &lower) == 0;
  }
  lowered_limit(const lowered_limit&) = delete;
  lowered_limit& operator=(const lowered_limit&) = delete;
  ~lowered_limit() { setrlimit(what_, &before_); }
  bool is_set() const { return set_; }

 private:
  __rlimit_resource what_;
  rlimit before_{};
  bool set_ = false;
};

}  // namespace detent::hostile
