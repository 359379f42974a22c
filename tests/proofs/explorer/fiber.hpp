// SPDX-License-Identifier: MIT
// A thread of an execution: a stack of its own, entered and left where its owner says.
#pragma once

#include <csetjmp>
#include <cstddef>
#include <memory>

namespace model {

class fiber {
 public:
  using job = void (*)(void*);

  fiber() = default;  // the caller's own stack, to come back to
  fiber(const fiber&) = delete;
  fiber& operator=(const fiber&) = delete;

  // Runs work(argument) on this stack once it is switched to. The fiber must be new, abandoned, or waiting at the end
  // of its last job, in the switch that ended it.
  void assign(job work, void* argument);
  // Never to be resumed where it stands: whatever its stack holds is dropped, not destroyed.
  void abandon() { running_ = false; }
  // Leaves `from`, goes on with `to`; returns when somebody switches back.
  static void change(fiber& from, fiber& to);

 private:
  static constexpr std::size_t stack_bytes = 256 * 1024;

  static void enter();
  [[noreturn]] void go_on();

  static fiber* entering;

  std::jmp_buf place_;
  std::unique_ptr<std::byte[]> stack_;
  job work_ = nullptr;
  void* argument_ = nullptr;
  bool running_ = false;  // has been entered, and `place_` is valid
};

}  // namespace model
