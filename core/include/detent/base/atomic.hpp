// SPDX-License-Identifier: MIT
// The only header through which threads meet: atomics, fences, futexes and the pause of a spin loop.
// Define DETENT_ATOMIC_HEADER (a header's name in quotes or brackets) to compile the same code against a model
// checker; that header then declares all of namespace detent::base that this file declares.
#pragma once

#include <detent/base/compiler.hpp>
#include <detent/base/thread_sanitizer.hpp>

#ifdef DETENT_ATOMIC_HEADER
#include DETENT_ATOMIC_HEADER
#else

#include <atomic>
#include <bit>
#include <cstdint>

#if defined(DETENT_THREAD_SANITIZER)
#include <sanitizer/tsan_interface.h>
#endif

namespace detent::base {

template <class T>
using atomic = std::atomic<T>;

// Names, not operations: each use numbers the operation and names its partner.
inline constexpr auto relaxed = std::memory_order_relaxed;
inline constexpr auto acquire = std::memory_order_acquire;
inline constexpr auto release = std::memory_order_release;
inline constexpr auto acq_rel = std::memory_order_acq_rel;
inline constexpr auto seq_cst = std::memory_order_seq_cst;

// A full fence. ThreadSanitizer does not model fences; the algorithms here use one only for store-load order, which
// carries no happens-before edge of its own, so there is nothing to show to it.
inline void full_fence() noexcept {
#if defined(__x86_64__) && !defined(DETENT_THREAD_SANITIZER)
  // A locked addition to the stack is a full barrier and costs less than mfence.
  __asm__ __volatile__("lock; addq $0, (%%rsp)" ::: "memory", "cc");
#else
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wtsan"  // g++ warns that it cannot model the fence, which it need not: see above
#endif
  std::atomic_thread_fence(std::memory_order_seq_cst);  // (2) pairs with the fence that its caller names
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
#endif
}

// Adds to a count that only the calling thread writes. It is a release store, but one instruction if the processor has
// it, which compilers do not find by themselves. Other threads may read the count at any time.
inline void add_alone(atomic<std::uint64_t>& count, std::uint64_t amount) noexcept {
#if defined(__x86_64__) && !defined(DETENT_THREAD_SANITIZER)
  // The word itself, because clang does not take an atomic object of libc++ as an operand.
  auto& word = reinterpret_cast<std::uint64_t&>(count);
  __asm__ __volatile__("addq %1, %0" : "+m"(word) : "er"(amount) : "memory", "cc");
#else
  // Relaxed load: one writer. (1) release: pairs with the acquire, if any, of the reader of the count.
  count.store(count.load(relaxed) + amount, release);
#endif
}

// Like add_alone(), but without any order: for a figure through which nothing else is read.
inline void add_alone_relaxed(atomic<std::uint64_t>& count, std::uint64_t amount) noexcept {
#if defined(__x86_64__) && !defined(DETENT_THREAD_SANITIZER)
  auto& word = reinterpret_cast<std::uint64_t&>(count);
  __asm__ __volatile__("addq %1, %0" : "+m"(word) : "er"(amount) : "cc");
#else
  count.store(count.load(relaxed) + amount, relaxed);  // relaxed: for the same reason
#endif
}

// An asymmetric pair of fences: if one side runs often and the other seldom, the seldom one pays for both. A
// heavy_fence() is a full fence for every thread of the process at once, somewhere between its beginning and its end. A
// light_fence() only keeps the compiler from moving anything across it. Light and heavy together do what two full
// fences would.
inline void light_fence() noexcept { std::atomic_signal_fence(std::memory_order_seq_cst); }  // (3) with heavy_fence()
// Makes a system call of some microseconds and interrupts each core that runs a thread of this process. May be called
// only if enable_heavy_fence() has returned true. Returns false if a filter for system calls was installed since: then
// the kernel refuses it, and nothing was ordered.
[[nodiscard]] bool heavy_fence() noexcept;
// Stands in for a heavy fence without the kernel, and takes a millisecond. It is a full fence, and a wait that lasts
// longer than anything a core has begun: a store leaves its buffer within microseconds, a load that runs ahead of its
// turn ends as soon, and a thread that is taken off a core passes a full fence in the kernel. So either the caller sees
// after the wait what a thread stored before its light fence, or the thread's loads after that fence see what the
// caller has stored before. This rests on processors, not on the language.
void waiting_fence() noexcept;
// Asks the kernel once a process, which may take milliseconds the first time. Returns false if the kernel has no such
// fence.
bool enable_heavy_fence() noexcept;

// Two 64-bit halves that can be read apart and exchanged together.
struct pair_value {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};

class alignas(16) atomic_pair {
 public:
  atomic<std::uint64_t> low{0};
  atomic<std::uint64_t> high{0};

  // Replaces both halves if both are as expected. Sequentially consistent, lock-free. On failure `expected` is
  // unchanged.
  bool compare_exchange(pair_value expected, pair_value desired) noexcept;
  // Replaces the upper 32 bits of `low` if they are as expected, regardless of the lower ones; acq_rel, lock-free.
  // Processors order accesses of different widths to one place as if they were of one width.
  bool compare_exchange_upper(std::uint32_t expected, std::uint32_t desired) noexcept {
#if defined(DETENT_THREAD_SANITIZER) || (defined(_MSC_VER) && !defined(__clang__))
    // The sanitizer takes two widths at one address for two objects, and would miss what a release in the other width
    // passed on. MSVC has no exchange of a part.
    std::uint64_t word = low.load(relaxed);
    while (static_cast<std::uint32_t>(word >> 32) == expected) {
      std::uint64_t wanted = std::uint64_t{desired} << 32 | static_cast<std::uint32_t>(word);
      if (low.compare_exchange_weak(word, wanted, acq_rel, acquire)) return true;
    }
    return false;
#else
    static_assert(std::endian::native == std::endian::little);
    return __atomic_compare_exchange_n(reinterpret_cast<std::uint32_t*>(&low) + 1, &expected, desired, false,
                                       __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
#endif
  }
};
static_assert(sizeof(atomic_pair) == 16, "a pair is what one 16-byte compare-and-swap covers");

#if defined(DETENT_THREAD_SANITIZER)
// The sanitizer does not see assembly. Its own 16-byte exchange takes a lock, which a thread that exchanges or reads
// one half does not take. So the instruction is executed, and its order is shown to the sanitizer; if it fails, more
// order than there is.
inline void tell_release(atomic_pair& pair) noexcept {
  __tsan_release(&pair.low);
  __tsan_release(&pair.high);
}
inline void tell_acquire(atomic_pair& pair) noexcept {
  __tsan_acquire(&pair.low);
  __tsan_acquire(&pair.high);
}
#else
inline void tell_release(atomic_pair&) noexcept {}
inline void tell_acquire(atomic_pair&) noexcept {}
#endif

#if defined(__x86_64__)
inline bool atomic_pair::compare_exchange(pair_value expected, pair_value desired) noexcept {
  // Assembly, because the compilers emit this instruction only under -mcx16, which would then spread to every user.
  bool done;
  tell_release(*this);
  __asm__ __volatile__("lock; cmpxchg16b %1"
                       : "=@ccz"(done), "+m"(*this), "+a"(expected.low), "+d"(expected.high)
                       : "b"(desired.low), "c"(desired.high)
                       : "memory");
  tell_acquire(*this);
  return done;
}
#elif defined(__aarch64__)
inline bool atomic_pair::compare_exchange(pair_value expected, pair_value desired) noexcept {
  std::uint64_t low_seen, high_seen;
  std::uint32_t failed, same;
  tell_release(*this);
  // One statement, because between the two exclusives the compiler could store a register that it wants back, which may
  // cancel the reservation each time. Two registers that were read are known to be of one moment only once the store
  // has succeeded, so on a mismatch the old value is written back.
  __asm__ __volatile__(
      "dmb ish\n"
      "0: ldaxp %[low], %[high], %[pair]\n"
      "cmp %[low], %[expected_low]\n"
      "ccmp %[high], %[expected_high], #0, eq\n"
      "csel %[low], %[desired_low], %[low], eq\n"
      "csel %[high], %[desired_high], %[high], eq\n"
      "stlxp %w[failed], %[low], %[high], %[pair]\n"
      "cbnz %w[failed], 0b\n"
      "cset %w[same], eq\n"
      "dmb ish"
      : [low] "=&r"(low_seen), [high] "=&r"(high_seen), [failed] "=&r"(failed), [same] "=&r"(same), [pair] "+Q"(*this)
      : [expected_low] "r"(expected.low), [expected_high] "r"(expected.high), [desired_low] "r"(desired.low),
        [desired_high] "r"(desired.high)
      : "memory", "cc");
  tell_acquire(*this);
  return same != 0;
}
#elif defined(_M_X64) || defined(_M_ARM64)
inline bool atomic_pair::compare_exchange(pair_value expected, pair_value desired) noexcept {
  long long compared[2] = {static_cast<long long>(expected.low), static_cast<long long>(expected.high)};
  return _InterlockedCompareExchange128(reinterpret_cast<volatile long long*>(this),
                                        static_cast<long long>(desired.high), static_cast<long long>(desired.low),
                                        compared) != 0;
}
#else
#error "detent needs a 16-byte compare-and-swap: x86-64 or aarch64"
#endif

enum class futex_result : std::uint8_t { woken, changed, timed_out, interrupted };

// Sleeps while `word` is `expected`, until a wake or until `deadline_ns` on CLOCK_MONOTONIC (INT64_MAX: for ever).
// May return early for no reason; the caller checks again.
futex_result futex_wait(const atomic<std::uint32_t>& word, std::uint32_t expected, std::int64_t deadline_ns) noexcept;
void futex_wake(atomic<std::uint32_t>& word, int waiters) noexcept;

// A hint to the core that this is a spin loop.
inline void cpu_pause() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ __volatile__("yield");
#elif defined(_M_X64)
  _mm_pause();
#elif defined(_M_ARM64)
  __yield();
#endif
}

}  // namespace detent::base
#endif
