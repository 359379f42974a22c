// SPDX-License-Identifier: MIT
// A log-linear histogram, like HdrHistogram's.
#pragma once

#include <detent/base/atomic.hpp>
#include <detent/base/compiler.hpp>
#include <detent/metrics.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace detent::detail {

// Buckets of a log-linear scale: 128 to each power of two, so that a bucket is narrower than 1 % of its values.
struct histogram_scale {
  static constexpr unsigned sub_bits = 7;
  static constexpr std::size_t buckets = (64 - sub_bits) << sub_bits;
  static constexpr std::uint64_t linear = std::uint64_t{1} << sub_bits;  // below: a bucket for each

  static constexpr std::size_t bucket(std::uint64_t value) noexcept {
    // Uses the exponent and the upper bits of a floating-point number, where those are exact: finding the highest bit
    // takes longer if the processor has only the old instruction for it.
    if (value - linear < (std::uint64_t{1} << 53) - linear) [[likely]]
      return (std::bit_cast<std::uint64_t>(static_cast<double>(static_cast<std::int64_t>(value))) >> (52 - sub_bits)) -
             (std::size_t{1023 + sub_bits - 1} << sub_bits);
    if (value < linear) return value;
    const auto shift = static_cast<unsigned>(std::bit_width(value)) - 1 - sub_bits;
    return (std::size_t{shift} << sub_bits) + static_cast<std::size_t>(value >> shift);
  }
  // The middle of a bucket.
  static constexpr std::uint64_t value(std::size_t bucket) noexcept {
    if (bucket < (std::size_t{2} << sub_bits)) return bucket;
    unsigned shift = static_cast<unsigned>(bucket >> sub_bits) - 1;
    std::uint64_t low = (std::uint64_t{bucket & ((1u << sub_bits) - 1)} + (1u << sub_bits)) << shift;
    return low + (std::uint64_t{1} << shift) / 2;
  }
};

// Written by the threads that run callbacks, read by any thread, also of other processes (counters_layout.hpp). A
// snapshot is not of one instant, but never negative.
class alignas(64) histogram_recorder {
 public:
  // `alone`: no other thread records at the same time, so no locked instruction is needed.
  void record(nanoseconds_t nanoseconds, bool alone) noexcept {
    const nanoseconds_t value = nanoseconds < 0 ? 0 : nanoseconds;
    alone ? record_alone(value) : record_shared(value);
  }
  // Makes the pages of the cells of small values exist: the kernel makes each page at its first write, which takes it
  // microseconds.
  void map() noexcept {
    constexpr std::size_t page = 4096 / sizeof(cell);
    for (std::size_t i = 0; i < histogram_scale::bucket(4096); i += page) write_zero(buckets_[i]);
    write_zero(sum_);
  }
  // Fetches the cells of small values.
  void warm_up() const noexcept {
    for (std::size_t i = 0; i < histogram_scale::bucket(512); i += 8) base::prefetch_to_write(&buckets_[i]);
    base::prefetch_to_write(&sum_);
  }
  // Throws bad_alloc.
  histogram snapshot() const;
  // For a histogram that leaves out zeros: adds as many as bring its count to that of `whole`.
  static void add_zeros(histogram& part, const histogram& whole) noexcept;

  // Does what record() does, as the only writer. The value must not be negative.
  // Relaxed throughout: each cell is a count of its own, and nothing else is read through it.
  void record_alone(nanoseconds_t nanoseconds) noexcept {
    base::add_alone_relaxed(buckets_[histogram_scale::bucket(static_cast<std::uint64_t>(nanoseconds))], 1);
    base::add_alone_relaxed(sum_, static_cast<std::uint64_t>(nanoseconds));
    if (nanoseconds > max_.load(base::relaxed)) [[unlikely]]
      max_.store(nanoseconds, base::relaxed);
  }

 private:
  using cell = base::atomic<std::uint64_t>;
  void record_shared(nanoseconds_t nanoseconds) noexcept;
  // Does not add zero, because clang compiles that to a read. Relaxed: it changes nothing.
  static void write_zero(cell& in) noexcept {
    std::uint64_t zero = 0;
    in.compare_exchange_strong(zero, 0, base::relaxed, base::relaxed);
  }

  std::array<cell, histogram_scale::buckets> buckets_{};
  cell sum_{0};
  base::atomic<std::int64_t> max_{0};
};

}  // namespace detent::detail
