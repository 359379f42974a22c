// SPDX-License-Identifier: MIT
// The code under test is compiled with the instrumentation of the thread sanitizer, but not linked with its runtime:
// the calls that the compiler puts before each plain access come here instead, by these names of the sanitizer's
// interface. So the plain accesses of unchanged headers are checked, and nobody has to annotate them.
#include "machine.hpp"

#include <cstddef>
#include <cstdint>

namespace model::hooks {

// NOLINTBEGIN(bugprone-macro-parentheses): `bytes` is part of names, and no expression
#define DETENT_MODEL_HOOK(bytes)                                                                     \
  void read_##bytes(const void* from) __asm__("__tsan_read" #bytes);                                 \
  void read_##bytes(const void* from) { machine::instance().plain_read(from, bytes); }               \
  void read_unaligned_##bytes(const void* from) __asm__("__tsan_unaligned_read" #bytes);             \
  void read_unaligned_##bytes(const void* from) { machine::instance().plain_read(from, bytes); }     \
  void write_##bytes(const void* from) __asm__("__tsan_write" #bytes);                               \
  void write_##bytes(const void* from) { machine::instance().plain_write(from, bytes); }             \
  void write_unaligned_##bytes(const void* from) __asm__("__tsan_unaligned_write" #bytes);           \
  void write_unaligned_##bytes(const void* from) { machine::instance().plain_write(from, bytes); }   \
  void read_write_##bytes(const void* from) __asm__("__tsan_read_write" #bytes);                     \
  void read_write_##bytes(const void* from) { machine::instance().plain_write(from, bytes); }        \
  void read_write_unaligned_##bytes(const void* from) __asm__("__tsan_unaligned_read_write" #bytes); \
  void read_write_unaligned_##bytes(const void* from) { machine::instance().plain_write(from, bytes); }

DETENT_MODEL_HOOK(1)
DETENT_MODEL_HOOK(2)
DETENT_MODEL_HOOK(4)
DETENT_MODEL_HOOK(8)
DETENT_MODEL_HOOK(16)
#undef DETENT_MODEL_HOOK
// NOLINTEND(bugprone-macro-parentheses)

void read_range(const void* from, std::size_t bytes) __asm__("__tsan_read_range");
void read_range(const void* from, std::size_t bytes) { machine::instance().plain_read(from, bytes); }
void write_range(const void* from, std::size_t bytes) __asm__("__tsan_write_range");
void write_range(const void* from, std::size_t bytes) { machine::instance().plain_write(from, bytes); }
void read_vptr(const void* from) __asm__("__tsan_vptr_read");
void read_vptr(const void* from) { machine::instance().plain_read(from, sizeof(void*)); }
void write_vptr(const void* from, const void*) __asm__("__tsan_vptr_update");
void write_vptr(const void* from, const void*) { machine::instance().plain_write(from, sizeof(void*)); }

// Functions and the start of the program concern nobody here.
void initialise() __asm__("__tsan_init");
void initialise() {}
void enter_function(const void*) __asm__("__tsan_func_entry");
void enter_function(const void*) {}
void leave_function() __asm__("__tsan_func_exit");
void leave_function() {}

}  // namespace model::hooks
