// SPDX-License-Identifier: MIT
// The way from any thread to the driver: an MPSC queue of entries for the bulk and one for critical timers, and a
// doorbell for a driver that sleeps.
#pragma once

#include "limits.hpp"
#include "platform/probe.hpp"
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

class driver_end;
class engine_core;

// The producers' end: any thread, with its own record. The driver has an end of its own (driver/driver_end.hpp).
class inbox {
 public:
  // `engine` is for the probes. Room for `reserve` entries ahead. Throws bad_alloc.
  inbox(const void* engine, std::size_t reserve)
      : queue_(reserve), critical_(std::min(reserve, limits::higher_ahead)), engine_(engine) {}

  // A thread enrols before its first push, which fails without memory, and leaves at its end. The engine's end retires
  // each record, possibly while its thread is leaving.
  bool enrol(producer& made) noexcept { return queue_.enrol(made); }
  void leave(thread_record& leaving) noexcept;
  void retire(thread_record& old) noexcept;

  // Gives `count` entries to the driver in one publication, the first at `first`; the driver must process them by
  // `deadline`. `is_critical`: their timers are critical.
  template <class Entries>
  void push_many(thread_record& mine, Entries first, std::size_t count, nanoseconds_t deadline,
                 bool is_critical) noexcept {
    submission_queue& to = is_critical ? critical_ : queue_;
    producer* const own = is_critical ? critical_of(mine) : &mine.pushed;
    const bool pushed = own != nullptr && to.push_many(*own, first, count);
    if (has_to_ring(bell_, rescan_, deadline, pushed, [&] { return own != nullptr && to.mark_if_needed(*own); }))
      ring_for_earlier(mine, deadline);
    if (count < mine.until_report) {
      mine.until_report -= static_cast<std::uint32_t>(count);
    } else {
      const std::size_t unreported = limits::report_every - std::exchange(mine.until_report, limits::report_every);
      report_pushes(mine, unreported + count);
    }
  }
  void push_reaps(thread_record& mine) noexcept;
  void add_reap(thread_record& mine, std::uint64_t entry) noexcept;

  // Wakes the driver, no matter what it waits for.
  void ring(thread_record& mine) noexcept { after_ring(mine, bell_.ring()); }
  // For the engine's end, which wakes the worker and may have no record.
  void ring_worker() noexcept { bell_.ring(); }
  // For another thread that waits on the descriptor.
  void signal() noexcept { fd_.signal(); }
  void ring_for_earlier(thread_record& mine, nanoseconds_t deadline) noexcept;
  // Adds what a thread has pushed to the shared count, which may ring.
  void report_pushes(thread_record& mine, std::uint64_t count) noexcept;

  // --- The beginning and the end of the engine

  // No push rings until the driver announces a wait.
  void begin_without_rings() noexcept { bell_.lower(INT64_MIN); }
  // To be called before another thread has it: says whether the driver may pass the producers' fences for them.
  void allow_asymmetric(bool allowed) noexcept { bell_.allow_asymmetric(allowed); }
  // For the thread that stops the engine (doorbell.hpp).
  void fence_stop() const noexcept { bell_.fence_stop(); }
  // Gives the descriptor to the caller, which must close it.
  int release_fd() noexcept { return fd_.release(); }
  // Called in the child of a fork.
  void disown() noexcept { fd_.disown(); }

 private:
  friend class driver_end;
  friend void push_entry(engine_core& core, thread_record& mine, std::uint64_t entry, nanoseconds_t deadline) noexcept;

  producer* critical_of(thread_record& mine) noexcept;
  void after_ring(thread_record& mine, doorbell::ring_result result) noexcept;

  submission_queue queue_;
  submission_queue critical_;
  doorbell bell_;
  wake_fd fd_;
  alignas(64) backlog unread_;
  rescan_request rescan_;
  const void* const engine_;
};

}  // namespace detent::detail
