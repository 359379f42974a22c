// SPDX-License-Identifier: MIT
#include "platform/tsc_clock.hpp"

#include <detent/base/compiler.hpp>

#include "platform/time_stamp.hpp"

#include <algorithm>
#include <new>

namespace detent::detail {
namespace {

constexpr nanoseconds_t first_span = 5'000'000;
constexpr nanoseconds_t long_span = 1'000'000'000;
constexpr nanoseconds_t anchor_lasts = 100'000;
// Bounds for any measurement: processors count between 0.2 and 10 GHz.
constexpr std::uint64_t least_anchor_ticks = 1 << 14, most_anchor_ticks = 1 << 20;
constexpr std::uint64_t slowest_counter = std::uint64_t{8} << 32;  // the limit of ns_per_tick, with a margin
// A rate that was measured at -500 ppm and is used at +500 ppm is off by 1,000.5 ppm. A 900th is 1,111 ppm, because the
// kernel also steers within its own ticks.
constexpr std::uint64_t slew_share = 900;
// The processor may read the counter before an earlier load is answered, and that load may return another thread's
// reading of steady_clock. A fence would cost more than the counter saves. This is the time that a cache line from
// another socket takes.
constexpr nanoseconds_t in_flight = 128;
// In ticks: about a tenth of a millisecond. The counters of cores differ by less.
constexpr std::uint64_t shade = 1 << 18;
constexpr int most_looks = 8;
// A system call, or reading a device's register, takes more than eight times as long as a reading in user space, at any
// frequency of the core. An interrupted sample would have to be that wide in each of its attempts, three times in a
// row.
constexpr std::uint64_t slow_share = 8, least_width = 64;
constexpr int slow_anchors = 3;
// The limit is reached if trust was lost 32 times more often than there were minutes in which it was kept.
constexpr int doubt_of_a_loss = 60, most_doubt = 32 * doubt_of_a_loss;

nanoseconds_t scale(std::uint64_t ticks, std::uint64_t ns_per_tick) noexcept {
  return static_cast<nanoseconds_t>(base::multiply_and_shift(ticks, ns_per_tick, 32));
}

std::uint64_t slope(nanoseconds_t ns, std::uint64_t ticks) noexcept {
  const std::uint64_t exact = base::divide_scaled(static_cast<std::uint64_t>(std::max<nanoseconds_t>(ns, 0)),
                                                  std::max<std::uint64_t>(ticks, 1));
  return std::clamp<std::uint64_t>(exact, 1, UINT64_MAX / 2);
}

}  // namespace

base::atomic<tsc_clock*> tsc_clock::made_{nullptr};

tsc_clock* tsc_clock::shared() noexcept {
  // Never destroyed, because engines of static storage duration may still read it.
  static tsc_clock* const instance = base::time_stamp_is_invariant() ? new (std::nothrow) tsc_clock : nullptr;
  made_.store(instance, base::relaxed);  // relaxed: for the child of a fork, which has one thread
  return instance;
}

void tsc_clock::begin_again_in_child() noexcept {
  tsc_clock* const clock = made_.load(base::relaxed);  // relaxed: an engine was made before it is looked for
  if (clock != nullptr && !clock->is_given_up()) clock->begin_again();
}

void tsc_clock::begin_again() noexcept {
  begin();
  sequence_.store(0, base::relaxed);  // relaxed, as are all stores here: there is no other thread
}

tsc_clock::tsc_clock() noexcept { begin(); }

// The clock is not trusted, and its rates agree with no sample.
void tsc_clock::begin() noexcept {
  trusted_ = false;
  rates_ = {.least = 2 * slowest_counter, .likely = slowest_counter, .most = 0};
  span_lasts_ = first_span;
  // relaxed: constant, or used by the thread that has the sequence.
  anchor_ticks_.store(least_anchor_ticks, base::relaxed);
  anchor_ = span_ = take_sample();
  widest_ = slow_share * std::max(anchor_.width(), least_width);
  publish();
}

// Takes the sample whose counter readings are closest together, because it was disturbed least. Stops as soon as one is
// no wider than usual.
tsc_clock::sample tsc_clock::take_sample() const noexcept {
  // relaxed: a hint.
  const std::uint64_t enough = 2 * usual_width_.load(base::relaxed);
  sample best{};
  for (int i = 0; i < most_looks && (i == 0 || best.width() > enough); ++i) {
    sample look{};
    look.before = base::read_time_stamp_in_order();
    look.ns = to_ns(clock::now());
    look.after = base::read_time_stamp_in_order();
    if (i == 0 || look.width() < best.width()) best = look;
  }
  return best;
}

nanoseconds_t tsc_clock::read(const line& wanted) noexcept {
  const std::uint64_t before = sequence_.load(base::acquire);          // (1) acquire: pairs with (4)
  const std::uint64_t anchored_at = anchored_at_.load(base::acquire);  // (2) acquire, all four: keep (3) after them;
  const nanoseconds_t begin = wanted.begin.load(base::acquire);        // each pairs with the release of (5) through
  const std::uint64_t slope = wanted.ns_per_tick.load(base::acquire);  // the odd count
  const std::uint64_t valid = valid_ticks_.load(base::acquire);
  const std::uint64_t ticks = base::read_time_stamp();
  // (3) relaxed: stays after (2) because of the acquires there. A thread that stores a sample may be suspended in
  // between, so this thread reads steady_clock instead of waiting.
  if ((before & 1) != 0 || sequence_.load(base::relaxed) != before) return to_ns(clock::now());
  const std::uint64_t elapsed = ticks - anchored_at;  // wraps if the counter is below the anchor
  if (elapsed >= valid) [[unlikely]]
    return look(elapsed);
  // Below 2^55, by slowest_counter and most_anchor_ticks.
  return begin + static_cast<nanoseconds_t>(elapsed * slope >> 32);
}

// Returns a reading of steady_clock. It becomes the anchor, unless there is a recent anchor that is not trusted, or one
// from a core whose counter is slightly ahead.
nanoseconds_t tsc_clock::look(std::uint64_t elapsed) noexcept {
  // relaxed: any value that it has had will do.
  const std::uint64_t lasts = anchor_ticks_.load(base::relaxed);
  if (elapsed < lasts || 0 - elapsed <= shade || lasts == UINT64_MAX) return to_ns(clock::now());
  std::uint64_t even = sequence_.load(base::relaxed) & ~std::uint64_t{1};  // relaxed: the exchange decides
  const sample latest = take_sample();
  // (5) acq_rel: one thread publishes its sample, and the others return what they read. It pairs with (4); and (2) sees
  // the odd count before any new value, because the fence keeps the stores after it.
  if (!sequence_.compare_exchange_strong(even, even + 1, base::acq_rel, base::relaxed)) return latest.ns;
  base::full_fence();
  take_up(latest);
  sequence_.store(even + 2, base::release);  // (4) release: pairs with (1)
  return latest.ns;
}

void tsc_clock::take_up(const sample& latest) noexcept {
  wide_in_a_row_ = latest.width() > widest_ ? wide_in_a_row_ + 1 : 0;
  if (trusted_ && (!agree(anchor_, latest) || wide_in_a_row_ == slow_anchors)) {
    distrust();
    span_ = latest;
  } else if (latest.ns - span_.ns >= span_lasts_) {
    judge_span(latest);
    span_ = latest;
  }
  anchor_ = latest;
  publish();
}

// Judged at the rate of the former span, which may have been another one. A single wide sample may have been
// interrupted, so trust waits for a narrow one.
void tsc_clock::judge_span(const sample& latest) noexcept {
  const bool agrees = agree(span_, latest);
  rates_ = measure(span_, latest);
  const bool even = agrees && (trusted_ || latest.width() <= widest_) && rates_.most <= slowest_counter;
  if (trusted_ && !even) {
    distrust();
    return;
  }
  if (trusted_) doubt_ = std::max(doubt_ - 1, 0);
  trusted_ = even;
  if (even) span_lasts_ = long_span;
  if (is_given_up()) return;
  const std::uint64_t lasts = slope(anchor_lasts, 1) / rates_.likely;
  anchor_ticks_.store(std::clamp(lasts, least_anchor_ticks, most_anchor_ticks), base::relaxed);  // relaxed: see look()
}

void tsc_clock::distrust() noexcept {
  trusted_ = false;
  distrusted_.fetch_add(1, base::relaxed);  // relaxed: a counter
  doubt_ += doubt_of_a_loss;
  if (doubt_ >= most_doubt) anchor_ticks_.store(UINT64_MAX, base::relaxed);  // relaxed: see look()
}

// relaxed stores throughout: the fences of the sequence lock order them.
void tsc_clock::publish() noexcept {
  anchored_at_.store(anchor_.before, base::relaxed);
  valid_ticks_.store(trusted_ ? anchor_ticks_.load(base::relaxed) : 0, base::relaxed);
  likely_.begin.store(anchor_.ns - scale(anchor_.width() / 2, rates_.likely), base::relaxed);
  likely_.ns_per_tick.store(rates_.likely, base::relaxed);
  // steady_clock was read after that moment and was rounded down.
  latest_.begin.store(anchor_.ns + 1 + in_flight, base::relaxed);
  latest_.ns_per_tick.store(rates_.most, base::relaxed);
  // It was also read before the second reading of the counter.
  earliest_.begin.store(anchor_.ns - 1 - scale(anchor_.width(), rates_.least), base::relaxed);
  earliest_.ns_per_tick.store(rates_.least, base::relaxed);
  usual_width_.store(anchor_.width(), base::relaxed);
}

// Returns whether the rates allow what steady_clock has gained between the two samples. It was read at any moment
// between the readings of the counter, and rounded down.
bool tsc_clock::agree(const sample& earlier, const sample& later) const noexcept {
  if (later.before < earlier.after) return false;  // the counter was set back
  const nanoseconds_t passed = later.ns - earlier.ns;
  return passed >= scale(later.before - earlier.after, rates_.least) - 1 &&
         passed <= scale(later.after - earlier.before, rates_.most) + 2;
}

tsc_clock::rates tsc_clock::measure(const sample& earlier, const sample& later) noexcept {
  const nanoseconds_t passed = later.ns - earlier.ns;
  const std::uint64_t least = slope(passed - 1, later.after - earlier.before);
  const std::uint64_t most = slope(passed + 1, later.before - earlier.after);
  const std::uint64_t likely = slope(passed, later.before + later.width() / 2 - earlier.before - earlier.width() / 2);
  return {least - least / slew_share, likely, most + most / slew_share + 1};
}

}  // namespace detent::detail
