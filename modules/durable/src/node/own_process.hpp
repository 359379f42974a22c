// SPDX-License-Identifier: MIT
#pragma once

#include <detent/base/atomic.hpp>
#include <detent/durable_error.hpp>

#include <pthread.h>

#include <string>

namespace detent::durable::detail {

// The process that made an object which has a thread. In the child of a fork there is none, and another thread may have
// held a lock of it. Costs a load and a comparison.
class own_process {
 public:
  bool is_this() const noexcept { return made_in_ == forks.load(base::relaxed); }  // relaxed: set at a fork
  // Throws errc::forked for `what`.
  void check(const char* what) const {
    if (!is_this())
      throw error(detent::errc::forked,
                  std::string(what) + ": these timers are the parent process's: make others in the child");
  }

 private:
  static unsigned watch() noexcept {
    // Relaxed: no other thread is there in the child.
    static const int watched = pthread_atfork(nullptr, nullptr, [] { forks.fetch_add(1, base::relaxed); });
    static_cast<void>(watched);
    return forks.load(base::relaxed);
  }
  static inline base::atomic<unsigned> forks{0};  // between this process and the first of them

  const unsigned made_in_ = watch();
};

}  // namespace detent::durable::detail
