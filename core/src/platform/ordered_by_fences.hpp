// SPDX-License-Identifier: MIT
// Has ThreadSanitizer leave alone what is ordered by fences, which it does not model: moodycamel's queues.
#pragma once

#include <detent/base/thread_sanitizer.hpp>

namespace detent::detail {

#if defined(DETENT_THREAD_SANITIZER)
namespace sanitizer {
void begin_ignoring_reads(const char* file, int line) __asm__("AnnotateIgnoreReadsBegin");
void end_ignoring_reads(const char* file, int line) __asm__("AnnotateIgnoreReadsEnd");
void begin_ignoring_writes(const char* file, int line) __asm__("AnnotateIgnoreWritesBegin");
void end_ignoring_writes(const char* file, int line) __asm__("AnnotateIgnoreWritesEnd");
}  // namespace sanitizer
#endif

// As long as it exists, the sanitizer ignores this thread's plain reads and writes, but not its atomic ones. Does
// nothing without the sanitizer.
class ordered_by_fences {
 public:
#if defined(DETENT_THREAD_SANITIZER)
  ordered_by_fences() noexcept {
    sanitizer::begin_ignoring_reads(__FILE__, __LINE__);
    sanitizer::begin_ignoring_writes(__FILE__, __LINE__);
  }
  ~ordered_by_fences() {
    sanitizer::end_ignoring_writes(__FILE__, __LINE__);
    sanitizer::end_ignoring_reads(__FILE__, __LINE__);
  }
#else
  // NOLINTNEXTLINE(modernize-use-equals-default): a trivial one would leave variables that compilers call unused
  ordered_by_fences() noexcept {}
#endif
  ordered_by_fences(const ordered_by_fences&) = delete;
  ordered_by_fences& operator=(const ordered_by_fences&) = delete;
};

}  // namespace detent::detail
