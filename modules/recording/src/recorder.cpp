// SPDX-License-Identifier: MIT
#include "recorder.hpp"

#include "platform/thread_setup.hpp"
#include "trace_writer.hpp"

#include <csignal>

#include <climits>
#include <new>
#include <system_error>
#include <utility>

namespace detent::detail {
namespace {

nanoseconds_t monotonic_now() noexcept { return to_ns(clock::now()); }

}  // namespace

recorder::recorder(const clock_reader& time, std::size_t room, tick_grid ticks)
    : time_(time), zero_(time.certain()), ticks_(ticks), ring_(room) {}

errc open_recording(std::unique_ptr<recording_port>& made, const clock_reader& time, const engine_options& options,
                    std::string& why) {
  if (options.record.empty()) return errc{};
  try {
    auto opened = std::make_unique<recorder>(time, limits::recording_room, tick_grid(options.tick.count()));
    const errc problem = opened->open(options.record, options.name, why);
    made = std::move(opened);
    return problem;
  } catch (const std::bad_alloc&) {
    why = "record: no memory for its buffer";
    return errc::out_of_memory;
  }
}

errc recorder::open(const std::string& path, const std::string& engine, std::string& why) {
  if (errc problem = file_.open(path, engine, why); problem != errc{}) return problem;
  // This thread must handle none of the process's signals; and writing to a pipe without a reader must be an error like
  // any other.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  errc problem{};
  try {
    closed_.store(false, base::relaxed);  // relaxed: the thread does not exist yet, and neither do users of the engine
    writer_ =
        std::thread([this, rows = std::make_unique<trace_writer>(file_, zero_, ticks_)]() mutable { write(*rows); });
  } catch (const std::system_error& failure) {
    const int reason = failure.code().value();
    problem = file_.refuse(reason, "the thread that writes it cannot be started: " + explain(reason), why);
  } catch (const std::bad_alloc&) {
    why = "record: no memory for the thread that writes it";
    problem = errc::out_of_memory;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return problem;
}

void recorder::close() noexcept {
  if (!writer_.joinable()) return;
  base::show_release(&closed_);
  closed_.store(true, base::release);  // (1) release: pairs with (2); everything reported before is written
  wake();
  writer_.join();
}

void recorder::wake() noexcept {
  bell_.fetch_add(1, base::release);  // (3) release: pairs with (4)
  base::futex_wake(bell_, 1);
}

// The writing thread. It looks at the ring when another quarter is filled, and from time to time.
void recorder::write(trace_writer& rows) noexcept {
  name_this_thread("detent-record");
  for (nanoseconds_t progress = monotonic_now();;) {
    const std::uint32_t heard = bell_.load(base::acquire);  // (4) acquire: pairs with (3)
    const bool closing = closed_.load(base::acquire);       // (2) acquire: pairs with (1)
    const operation_ring::place* next = nullptr;
    std::size_t taken = 0;
    for (; taken != limits::operations_at_once && (next = ring_.front()) != nullptr; ++taken) {
      rows.add(next->what, next->lost);
      ring_.pop();
    }
    rows.flush();
    dropped_.fetch_add(rows.take_lost(), base::relaxed);  // relaxed: a counter
    if (taken != 0 || !closing) progress = monotonic_now();
    if (next != nullptr) continue;
    if (!closing) {
      base::futex_wait(bell_, heard, add_saturated(monotonic_now(), limits::recorder_looks));
    } else if (owes_nothing() || subtract_saturated(monotonic_now(), progress) > limits::recorder_patience) {
      break;
    } else {
      std::this_thread::sleep_for(duration(limits::recorder_pause));  // a thread is between take() and fill()
    }
  }
  base::show_acquire(&closed_);  // for what was written to the file before this thread's first row
  rows.give_up();
  dropped_.fetch_add(ring_.size() + rows.take_lost(), base::relaxed);  // relaxed: a counter
  // relaxed: nearly always 0. An attempt without a place that is still under way counts itself when it ends.
  file_.close(dropped() + without_place_.load(base::relaxed) - rows.reported());
}

// (7) acquire: pairs with (8), so that the loss is counted before the file is closed.
bool recorder::owes_nothing() const noexcept { return ring_.size() == 0 && without_place_.load(base::acquire) == 0; }

operation_ring::place* recorder::take() noexcept {
  if (closed_.load(base::relaxed)) return nullptr;  // relaxed: an operation that comes at the end may be lost
  operation_ring::place* const place = ring_.take();
  // relaxed: only decides whether the exchange is worth it. (5) acquire: pairs with (6), so that the thread that
  // reports a loss sees it counted.
  if (place != nullptr) place->lost = unclaimed_.load(base::relaxed) != 0 ? unclaimed_.exchange(0, base::acquire) : 0;
  return place;
}

void recorder::lose() noexcept {
  dropped_.fetch_add(1, base::relaxed);    // relaxed: published by (6)
  unclaimed_.fetch_add(1, base::release);  // (6) release: pairs with (5)
}

void recorder::fill(operation_ring::place& taken) noexcept {
  if (ring_.fill(taken)) wake();
}

void recorder::add(const operation& what) noexcept {
  operation_ring::place* place = take();
  if (place == nullptr) return lose();
  place->what = what;
  fill(*place);
}

void recorder::cancelled(std::uint32_t index, std::uint32_t generation) noexcept {
  ended(operation_kind::cancel, index, generation, time_.certain());
}

void recorder::ended(operation_kind how, std::uint32_t index, std::uint32_t generation, nanoseconds_t at) noexcept {
  add({.at = at, .id = operation_id(index, generation), .kind = how});
}

void recorder::turned(operation_kind how, const void* group) noexcept {
  add({.at = time_.certain(), .group = group, .kind = how});
}

void* recorder::begin_attempt(const operation& what) noexcept {
  const nanoseconds_t at = time_.certain();
  operation_ring::place* const place = take();
  if (place == nullptr) {
    without_place_.fetch_add(1, base::relaxed);  // relaxed: a stop() that finds the timer sees this by the timer's word
    return nullptr;
  }
  place->what = what;
  place->what.at = at;
  return place;
}

void recorder::end_attempt(void* begun, bool effective) noexcept {
  if (auto* const place = static_cast<operation_ring::place*>(begun); place != nullptr) {
    if (!effective) place->what.kind = operation_kind::nothing;
    fill(*place);
  } else {
    if (effective) lose();
    without_place_.fetch_sub(1, base::release);  // (8) release: pairs with (7)
  }
}

}  // namespace detent::detail
