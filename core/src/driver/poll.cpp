// SPDX-License-Identifier: MIT
#include "driver/poll.hpp"

#include <detent/base/compiler.hpp>
#include <detent/base/forced_unwind.hpp>

#include "callers/refusals.hpp"
#include "driver/driver.hpp"
#include "limits.hpp"

#include <cerrno>
#include <cstdint>
#include <string>

namespace detent::detail {
namespace {

// Claims the drive of a caller-driven engine for a call; one thread at a time.
class drive_turn {
 public:
  // `call` is for the error. Inlined, both: a turn with nothing to do costs little more.
  DETENT_ALWAYS_INLINE drive_turn(engine_core& core, driver& drives, const char* call);
  DETENT_ALWAYS_INLINE ~drive_turn();
  drive_turn(const drive_turn&) = delete;
  drive_turn& operator=(const drive_turn&) = delete;
  bool stopped() const noexcept { return stopped_; }

 private:
  engine_core& core_;
  driver& driver_;
  thread_record* record_ = nullptr;
  bool stopped_ = false;
};

// `call`, as "poll()".
[[noreturn]] DETENT_NOINLINE DETENT_COLD void refuse_turn(const engine_core& core, const char* call) {
  errc problem = errc::not_permitted;
  const char* why = "another thread is inside poll(), next_deadline() or wake_fd(); only one may be at a time";
  if (core.options.drive != drive_kind::caller) {
    problem = errc::wrong_drive;
    why = "the engine has a worker; engine_options::drive = caller makes it yours to drive";
  } else if (core.life.is_driven_by(std::this_thread::get_id())) {
    problem = errc::called_from_callback;
    why = "called from a callback that poll() runs; let that return first";
  }
  throw error(problem, prefix_of(core) + call + ": " + why);
}

inline drive_turn::drive_turn(engine_core& core, driver& drives, const char* call) : core_(core), driver_(drives) {
  if (core.options.drive != drive_kind::caller) [[unlikely]]
    refuse_turn(core, call);
  const lifecycle::entry entered = core.life.enter_drive(std::this_thread::get_id());
  if (entered == lifecycle::entry::refused) [[unlikely]]
    refuse_turn(core, call);
  stopped_ = entered == lifecycle::entry::stopped;
  base::show_acquire(&core.life);
  record_ = core.threads.mine();
  if (record_ == nullptr) record_ = &core.threads.borrow_spare();
  driver_.begin(*record_);
}

inline drive_turn::~drive_turn() {
  driver_.end();
  core_.threads.give_back(*record_);
  const bool ended = driver_.has_ended();
  base::show_release(&core_.life);
  core_.life.leave_drive();
  if (ended) [[unlikely]] {
    core_.executors.reset();
    core_.drop_reference();
  }
}

// Makes wake_fd readable at the next deadline, and has producers of earlier ones signal it.
void announce_wait(engine_core& core, driver& drives) {
  const driver_end in(core.in);
  if (drives.groups.is_asked()) return in.fd().signal();
  const nanoseconds_t until = drives.announce(drives.entries.next());
  if (until == INT64_MIN) return in.fd().signal();  // due already, and more to drain
  if (core.time.is_manual()) {                      // the kernel knows nothing of virtual time
    in.fd().set(until <= core.time.now() ? std::optional<nanoseconds_t>(1) : std::nullopt);
  } else {
    in.fd().set(until == forever ? std::nullopt : std::optional(until));
  }
  if (!in.bell().go_outside()) in.fd().signal();
}

// Says whether a call sets the descriptor at its end.
enum class settling : std::uint8_t { now, later };

template <bool Inline, settling Sets>
DETENT_ALWAYS_INLINE inline std::size_t poll_once(engine_core& core, driver& drives, std::size_t max_callbacks) {
  drive_turn turn(core, drives, "poll()");
  if (turn.stopped()) return 0;
  const bool watched = driver_end(core.in).fd().is_open();
  if (watched) drives.drains.answer_bell();
  drives.drains.drain_submitted();
  drives.sweep(limits::sweep_a_poll);
  const std::size_t fired = drives.pass.fire_pass(core.time.certain(), max_callbacks, true);
  drives.state.split.wait_begins();  // for the next call
  if (core.counts.watched()) drives.set_gauges();
  if (Sets == settling::now && watched && !core.stopped()) announce_wait(core, drives);
  return Inline ? fired : drives.take_ran();  // before the turn ends, and with it perhaps the engine
}

template <settling Sets>
DETENT_NOINLINE std::size_t poll_with_executors(engine_core& core, driver& drives, std::size_t max_callbacks) {
  const base::cancel_hold held;  // no thread may end inside an executor
  return poll_once<false, Sets>(core, drives, max_callbacks);
}

}  // namespace

std::size_t poll(engine_core& core, driver& drives, std::size_t max_callbacks) {
  return core.runs_inline ? poll_once<true, settling::now>(core, drives, max_callbacks)
                          : poll_with_executors<settling::now>(core, drives, max_callbacks);
}

std::size_t poll_unsettled(engine_core& core, driver& drives, std::size_t max_callbacks) {
  return core.runs_inline ? poll_once<true, settling::later>(core, drives, max_callbacks)
                          : poll_with_executors<settling::later>(core, drives, max_callbacks);
}

bool settle(engine_core& core, driver& drives, nanoseconds_t rests_until) {
  drive_turn turn(core, drives, "poll()");
  if (turn.stopped()) return false;
  drives.drains.answer_bell();
  drives.drains.drain_submitted();
  // Virtual time stands still while the loop rests.
  if (drives.timers.next_bound() < rests_until && !drives.groups.is_asked() && !core.time.is_manual()) {
    driver_end(core.in).fd().set(rests_until);  // no producer needs to ring: the next poll() finds all
  } else {
    announce_wait(core, drives);
  }
  return true;
}

std::optional<nanoseconds_t> next_deadline(engine_core& core, driver& drives, int looks) {
  drive_turn turn(core, drives, "next_deadline()");
  if (turn.stopped()) return std::nullopt;
  static_cast<void>(drives.offers.has_retries());  // first, as what belongs to a paused group leaves them for the wheel
  drives.critical.drain();
  drives.drains.drain_submitted();
  drives.sweep(SIZE_MAX);
  if (driver_end(core.in).fd().is_open()) announce_wait(core, drives);  // first, as it may drain what has come since
  std::optional<nanoseconds_t> next = drives.timers.next_exact(looks);
  if (drives.offers.has_retries()) next = drives.entries.retry_bound(next.value_or(forever));
  return next;
}

DETENT_COLD int open_wake_fd(engine_core& core, driver& drives) {
  drive_turn turn(core, drives, "wake_fd()");
  const driver_end in(core.in);
  bool was_open = in.fd().is_open();
  int fd = in.fd().open();
  if (fd < 0) {
    const int problem = errno;
    throw error(code_of(problem), prefix_of(core) + "wake_fd(): " + explain(problem));
  }
  if (!was_open && !core.stopped()) announce_wait(core, drives);
  return fd;
}

}  // namespace detent::detail
