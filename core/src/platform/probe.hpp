// SPDX-License-Identifier: MIT
// Static probes for perf, bpftrace and gdb. One is a nop and a note in the binary that says where its arguments are;
// nothing at all where DETENT_USDT is not defined.
#pragma once

#if defined(DETENT_USDT)
#define SDT_USE_VARIADIC
// Registers and memory. No constants, which perf leaves out, and then takes the places of a probe for different events.
#if defined(__clang__)
#define STAP_SDT_ARG_CONSTRAINT r  // where memory is allowed it stores registers there first
#else
#define STAP_SDT_ARG_CONSTRAINT or
#endif
#include <sys/sdt.h>

// The header's own, with `inline` added: a compiler takes each line of assembler for an instruction, the dozens of a
// note too, and would inline nothing that has a probe in it.
#undef _SDT_PROBE
#define _SDT_PROBE(provider, name, n, arglist)                                                                     \
  do {                                                                                                             \
    __asm__ inline __volatile__(_SDT_ASM_BODY(provider, name, _SDT_ASM_ARGS, (n))::_SDT_ASM_OPERANDS_##n arglist); \
    __asm__ inline __volatile__(_SDT_ASM_BASE);                                                                    \
  } while (false)

// detent:NAME with up to 12 integers or pointers. Pass values that are at hand: a value that must be computed
// for it is computed even without a tracer.
#define DETENT_PROBE(name, ...) STAP_PROBEV(detent, name, __VA_ARGS__)
#else
#define DETENT_PROBE(name, ...) static_cast<void>(0)
#endif
