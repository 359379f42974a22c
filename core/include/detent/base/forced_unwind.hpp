// SPDX-License-Identifier: MIT
// pthread_exit() and pthread_cancel() end a thread by unwinding its stack. No handler may stop that: glibc ends the
// process if a `catch (...)` does not rethrow, and so does a noexcept function.
#pragma once

#include <detent/base/platform/cancel_hold.hpp>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <version>

#ifdef __GLIBCXX__
#include <cxxabi.h>
#endif

namespace detent::base {

// The type by which a handler recognises such an unwinding. Only libstdc++ has a name for it. With another library this
// is never thrown, and a thread that ends in a callback ends the process.
#ifdef __GLIBCXX__
using forced_unwind = abi::__forced_unwind;
#else
struct forced_unwind {};
#endif

// The object that calls the program, and which of its calls that is.
struct program_call {
  const char* of;    // such as `calendar`
  const char* name;  // null: it has none
  const char* what;  // such as `a callback`
};

// Prints one line that says that the call ended its thread and what to do instead, and aborts.
[[noreturn]] inline void refuse_to_unwind(const program_call& call, const char* cure) noexcept {
  const char* const quote = call.name != nullptr ? "\"" : "";
  std::fprintf(
      stderr, "detent: %s%s%s%s%s: %s ended its thread, by pthread_exit() or because of a pthread_cancel(): %s\n",
      call.of, call.name != nullptr ? " " : "", quote, call.name != nullptr ? call.name : "", quote, call.what, cure);
  std::abort();
}

// Stands around a call of the program's from which no thread may unwind, because it is made in a handler or with
// something half done. It holds cancels back, and pthread_exit() ends the process with a line that names the call. It
// is a destructor, because a handler inside a handler could not tell an unwinding from an exception.
class kept_thread {
 public:
  explicit kept_thread(const program_call& call) noexcept : call_(call) {}
  kept_thread(const kept_thread&) = delete;
  kept_thread& operator=(const kept_thread&) = delete;
  ~kept_thread() {
    // An exception counts as uncaught, a forced unwinding does not.
    if (!returned_ && std::uncaught_exceptions() == before_) refuse_to_unwind(call_, "let it return instead");
  }
  void returned() noexcept { returned_ = true; }

 private:
  const program_call call_;
  const int before_ = std::uncaught_exceptions();
  bool returned_ = false;
  const cancel_hold held_;
};

}  // namespace detent::base
