// SPDX-License-Identifier: MIT
#include "fiber.hpp"

#include <ucontext.h>
#include <cstdlib>

namespace model {

fiber* fiber::entering = nullptr;

void fiber::assign(job work, void* argument) {
  work_ = work;
  argument_ = argument;
  if (!stack_) stack_ = std::make_unique_for_overwrite<std::byte[]>(stack_bytes);
}

// The stack is entered once and then kept: its loop takes one job after the other.
void fiber::enter() {
  fiber& self = *entering;
  for (;;) self.work_(self.argument_);
}

void fiber::go_on() {
  if (running_ || !stack_) _longjmp(place_, 1);
  running_ = true;
  entering = this;
  ucontext_t start;
  getcontext(&start);
  start.uc_stack.ss_sp = stack_.get();
  start.uc_stack.ss_size = stack_bytes;
  start.uc_link = nullptr;
  makecontext(&start, &fiber::enter, 0);
  setcontext(&start);
  std::abort();  // setcontext returns on failure only
}

// The underscored pair leaves the signal mask alone, and so costs no system call.
void fiber::change(fiber& from, fiber& to) {
  if (_setjmp(from.place_) == 0) to.go_on();
}

}  // namespace model
