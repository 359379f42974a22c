// SPDX-License-Identifier: MIT
// A manual clock whose end cannot go unnoticed: on Linux a reader crashes afterwards.
#pragma once

#include <detent/manual_clock.hpp>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include <memory>
#include <new>

namespace detent::testing {

#if defined(__linux__)
class mapped_clock {
 public:
  mapped_clock()
      : page_(mmap(nullptr, sizeof(manual_clock), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    if (page_ == MAP_FAILED) throw std::bad_alloc();
    clock_ = new (page_) manual_clock;
  }
  mapped_clock(const mapped_clock&) = delete;
  mapped_clock& operator=(const mapped_clock&) = delete;
  ~mapped_clock() { end(); }

  manual_clock* get() { return clock_; }
  void end() {
    if (clock_ != nullptr) munmap(page_, sizeof(manual_clock));
    clock_ = nullptr;
  }

 private:
  void* page_;
  manual_clock* clock_ = nullptr;  // null once it has ended
};
#else
class mapped_clock {
 public:
  manual_clock* get() { return clock_.get(); }
  void end() { clock_.reset(); }

 private:
  std::unique_ptr<manual_clock> clock_ = std::make_unique<manual_clock>();
};
#endif

}  // namespace detent::testing
