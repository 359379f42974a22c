// SPDX-License-Identifier: MIT
// pthread_exit() and pthread_cancel() end a thread by unwinding its stack. No handler may stop that: glibc ends the
// process where a `catch (...)` does not throw it on, and so does a function that is noexcept.
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

// The object whose call of the program it is, and which call.
struct program_call {
  const char* of;    // as `calendar`
  const char* name;  // null: it has none
  const char* what;  // as `a callback`
};

// Says in one line on stderr that the call ended its thread and what to do instead, and aborts.
[[noreturn]] inline void refuse_to_unwind(const program_call& call, const char* cure) noexcept {
  const char* const quote = call.name != nullptr ? "\"" : "";
  std::fprintf(
      stderr, "detent: %s%s%s%s%s: %s ended its thread, by pthread_exit() or because of a pthread_cancel(): %s\n",
      call.of, call.name != nullptr ? " " : "", quote, call.name != nullptr ? call.name : "", quote, call.what, cure);
  std::abort();
}

// Around a call of the program's from which no thread may unwind, as it is made in a handler or with something half
// done: cancels are held back, and pthread_exit() ends the process with a line that names the call. A destructor,
// because a handler inside of a handler could not tell it from an exception.
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
