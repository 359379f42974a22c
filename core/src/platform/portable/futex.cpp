// SPDX-License-Identifier: MIT
// Futexes without a kernel that has them: a parking lot. A word's address says in which of a few rooms its threads
// sleep.
#include <detent/base/atomic.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>

namespace detent::base {
namespace {

// Words that share a room wake each other's threads. Every wait on a futex allows for that.
struct alignas(64) room {
  std::mutex mutex;
  std::condition_variable woken;
};
using rooms = std::array<room, 64>;

// Never destroyed, because an engine may outlive static objects. Only the address of the word is used, so a thread may
// wake after the word is gone.
room& room_of(const void* word) noexcept {
  alignas(rooms) static std::byte place[sizeof(rooms)];
  static rooms& all = *::new (static_cast<void*>(place)) rooms;
  return all[reinterpret_cast<std::uintptr_t>(word) / 64 % all.size()];
}

}  // namespace

futex_result futex_wait(const atomic<std::uint32_t>& word, std::uint32_t expected, std::int64_t deadline_ns) noexcept {
  using std::chrono::nanoseconds, std::chrono::steady_clock;
  room& own = room_of(&word);
  std::unique_lock lock(own.mutex);
  // relaxed: ordered by the mutex, which the waker takes after it has changed the word.
  if (word.load(relaxed) != expected) return futex_result::changed;
  if (deadline_ns == INT64_MAX) {
    own.woken.wait(lock);
    return futex_result::woken;
  }
  const auto deadline = std::chrono::duration_cast<steady_clock::duration>(nanoseconds(deadline_ns));
  const auto now = steady_clock::now().time_since_epoch();
  // Libraries compute with the time until the deadline, or use another clock, and that may overflow. So none of them
  // gets a past deadline, with which winpthreads may wait for ever, or one more than an hour away.
  if (deadline <= now) return futex_result::timed_out;
  const steady_clock::time_point until(std::min<steady_clock::duration>(deadline, now + std::chrono::hours(1)));
  return own.woken.wait_until(lock, until) == std::cv_status::timeout ? futex_result::timed_out : futex_result::woken;
}

void futex_wake(atomic<std::uint32_t>& word, int) noexcept {
  room& own = room_of(&word);
  const std::lock_guard lock(own.mutex);
  own.woken.notify_all();
}

}  // namespace detent::base
