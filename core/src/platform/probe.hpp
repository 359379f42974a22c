// SPDX-License-Identifier: MIT
// Static probes for perf, bpftrace and gdb. One is a nop and a note in the binary that says where its arguments are;
// nothing at all where DETENT_USDT is not defined. docs/profiling.md describes them for their readers. The type of an
// argument is part of the note. A timer is named by its node's index and by what has its generation in the bits from 37
// on, `life`: a state word or a handle's id, whichever is at hand.
#pragma once

#if defined(DETENT_USDT)
#define SDT_USE_VARIADIC
// Operands are registers and memory, not constants: perf leaves those out and then takes the places of one probe for
// different events.
#if defined(__clang__)
#define STAP_SDT_ARG_CONSTRAINT r  // where memory is allowed it stores registers there first
#else
#define STAP_SDT_ARG_CONSTRAINT or
#endif
#include <sys/sdt.h>

// The header's own macro, with `inline` added. A compiler takes each line of assembler for an instruction, including
// the dozens of lines of a note, and would not inline a function that has a probe.
#undef _SDT_PROBE
#define _SDT_PROBE(provider, name, n, arglist)                                                                     \
  do {                                                                                                             \
    __asm__ inline __volatile__(_SDT_ASM_BODY(provider, name, _SDT_ASM_ARGS, (n))::_SDT_ASM_OPERANDS_##n arglist); \
    __asm__ inline __volatile__(_SDT_ASM_BASE);                                                                    \
  } while (false)

// Makes the probe detent:NAME with up to 12 integers or pointers. Pass only values that are at hand, because values are
// computed even without a tracer.
#define DETENT_PROBE(name, ...) STAP_PROBEV(detent, name, __VA_ARGS__)
#else
namespace detent::detail {
template <class... Arguments>
constexpr void no_probe(const Arguments&...) noexcept {}
}  // namespace detent::detail

#define DETENT_PROBE(name, ...) ::detent::detail::no_probe(__VA_ARGS__)
#endif
