// SPDX-License-Identifier: MIT
// The way from any thread to the driver: an MPSC queue of entries for the bulk and one for critical timers, and a
// doorbell for a driver that sleeps.
#pragma once

#include "limits.hpp"
#include "observe/probes.hpp"
#include "platform/wake_fd.hpp"
#include "submission/backlog.hpp"
#include "submission/doorbell.hpp"
#include "submission/submission_queue.hpp"
#include "submission/submit.hpp"
#include "threads/thread_record.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace detent::detail {

// Any thread, with its own record. The members are the driver's end.
class inbox {
 public:
  // `engine` is for the probes. Room for `reserve` entries ahead. Throws bad_alloc.
  inbox(const void* engine, std::size_t reserve)
      : queue(reserve), critical(std::min(reserve, limits::higher_ahead)), engine_(engine) {}

  // Gives `count` entries to the driver in one publication, the first at `first`; it is to process them by `deadline`.
  // `is_critical`: their timers are.
  template <class Entries>
  void push_many(thread_record& mine, Entries first, std::size_t count, nanoseconds_t deadline,
                 bool is_critical) noexcept;
  void push_reaps(thread_record& mine) noexcept;
  void add_reap(thread_record& mine, std::uint64_t entry) noexcept;

  // Wakes the driver, no matter what it waits for.
  void ring(thread_record& mine) noexcept { after_ring(mine, bell.ring()); }
  void ring_for_earlier(thread_record& mine, nanoseconds_t deadline) noexcept;
  // Adds what a thread has pushed to the shared count, which may ring.
  void report_pushes(thread_record& mine, std::uint64_t count) noexcept;

  submission_queue queue;
  submission_queue critical;
  doorbell bell;
  wake_fd fd;
  alignas(64) backlog unread;
  rescan_request rescan;

 private:
  producer* critical_of(thread_record& mine) noexcept;
  void after_ring(thread_record& mine, doorbell::ring_result result) noexcept;

  const void* const engine_;
};

template <class Entries>
void inbox::push_many(thread_record& mine, Entries first, std::size_t count, nanoseconds_t deadline,
                      bool is_critical) noexcept {
  submission_queue& to = is_critical ? critical : queue;
  producer* const own = is_critical ? critical_of(mine) : &mine.pushed;
  const bool pushed = own != nullptr && to.push_many(*own, first, count);
  if (has_to_ring(bell, rescan, deadline, pushed, [&] { return own != nullptr && to.mark_if_needed(*own); }))
    ring_for_earlier(mine, deadline);
  if (count < mine.until_report) {
    mine.until_report -= static_cast<std::uint32_t>(count);
  } else {
    const std::size_t unreported = limits::report_every - std::exchange(mine.until_report, limits::report_every);
    report_pushes(mine, unreported + count);
  }
}

}  // namespace detent::detail
