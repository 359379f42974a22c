// SPDX-License-Identifier: MIT
// Holds back pthread_cancel() on a ground that has it.
#pragma once

#include <detent/base/platform/ground.hpp>

#if defined(DETENT_GROUND_LINUX)
#include <pthread.h>
#endif

namespace detent::base {

// Holds back the effect of pthread_cancel() on the calling thread for as long as it exists. A cancel that was held back
// takes effect at the thread's next cancellation point. Does nothing on a ground without that call.
class cancel_hold {
 public:
#if defined(DETENT_GROUND_LINUX)
  cancel_hold() noexcept { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  ~cancel_hold() { pthread_setcancelstate(before_, nullptr); }
#else
  // NOLINTNEXTLINE(modernize-use-equals-default): a trivial one would leave variables that compilers call unused
  cancel_hold() noexcept {}
#endif
  cancel_hold(const cancel_hold&) = delete;
  cancel_hold& operator=(const cancel_hold&) = delete;

#if defined(DETENT_GROUND_LINUX)
 private:
  int before_ = PTHREAD_CANCEL_ENABLE;
#endif
};

}  // namespace detent::base
