// SPDX-License-Identifier: MIT
// The end: of the drive, of every timer, of the engine.
#include "engine/driven_engine.hpp"

#include <detent/base/forced_unwind.hpp>

#include "callers/scheduling.hpp"
#include "driver/driver.hpp"
#include "engine/live_cores.hpp"
#include "timer/run_scope.hpp"

#include <new>

namespace detent::detail {

// A producer that goes on by a fast path finds it closed after its push, and takes its timer back.
void driven_engine::close() noexcept {
  life.close();
  if (life.now() == lifecycle::phase::closed) threads.open_fast_paths(fast_paths::none);
}

// Returns true for the call that stops the engine. Other calls wait until it is done.
bool driven_engine::begin_stop() noexcept {
  if (!life.begin_stop()) {
    waiters.see_ends();
    return false;
  }
  life.set_stopper(std::this_thread::get_id());
  threads.open_fast_paths(fast_paths::none);
  in.fence_stop();  // pairs with the one of a push: a producer that this stop does not see sees the stop
  return true;
}

// When this returns only the calling thread may still turn the wheel, further up its stack.
void driven_engine::end_drive() noexcept {
  if (life.is_driven_by(std::this_thread::get_id())) {
    if (worker_.is_running()) worker_.detach();
    return;
  }
  if (worker_.is_running()) worker_.join();
  if (options.drive == drive_kind::caller) {
    life.wait_for_drive();
    in.signal();  // a loop that waits on the descriptor learns of the end; now, as no poll() can set it again
  }
  base::show_acquire(&life);
}

// First collects everything that has not started, so that no executor starts it while this waits for running callbacks.
// Then, when each running callback has ended, collects what that has re-armed. Returns false if there was no memory for
// some of them, which were then destroyed unrun.
bool driven_engine::collect_all(std::vector<unfired_timer>* out) noexcept {
  record_lease mine(threads);
  bool all_kept = true;
  const node_index end = pool.carved();
  for (node_index index = 0; index < end; ++index) {
    if (collect(node_at(index).pair) == collect_result::returned)
      all_kept &= return_timer(*this, *mine, index, node_at(index), out);
  }
  for (node_index index = 0; index < end; ++index) {
    node& each = node_at(index);
    for (;;) {
      collect_result found = collect(each.pair);
      if (found == collect_result::returned) all_kept &= return_timer(*this, *mine, index, each, out);
      if (found != collect_result::firing || is_forked()) break;  // in a child no thread ends a run of its parent's
      std::uint32_t generation = state_word::generation(observe(each.pair));
      if (run_scope::inside(*this, index, generation)) break;  // ends by itself, as nothing is re-armed now
      waiters.wait(each.pair, generation);
    }
  }
  return all_kept;
}

errc driven_engine::forbids_stop() const noexcept {
  if (is_forked()) return errc::forked;
  // Inside a callback, or in the destructor of a capture that the driver or a stop further up the stack destroys.
  const std::thread::id me = std::this_thread::get_id();
  return run_scope::inside(*this) || life.is_driven_by(me) || life.is_stopped_by(me) ? errc::called_from_callback
                                                                                     : errc{};
}

errc driven_engine::stop(std::vector<unfired_timer>* out) noexcept {
  if (const errc forbidden = forbids_stop(); forbidden != errc{}) return forbidden;
  const base::cancel_hold held;
  if (!begin_stop()) return errc{};
  end_drive();
  errc problem{};
  if (out != nullptr) {
    try {
      out->reserve(count_pending_nodes());
    } catch (const std::bad_alloc&) {
      out = nullptr;  // they are destroyed unrun, and the caller learns why
      problem = errc::out_of_memory;
    }
  }
  if (!collect_all(out)) problem = errc::out_of_memory;
  if (is_forked()) return errc::forked;  // a capture forked as it was destroyed, and this is the child
  finish_stop();
  return problem;
}

void driven_engine::finish_stop() noexcept {
  waiters.see_ends();
  driver_->offers.clear_retries();
  if (seen.recording != nullptr) seen.recording->close();
  life.set_stopper({});
  waiters.show_stop();
  life.finish_stop();
}

std::size_t driven_engine::count_pending_nodes() const noexcept {
  std::size_t count = 0;
  const node_index end = pool.carved();
  for (node_index index = 0; index < end; ++index) {
    timer_state state = state_word::state(observe(node_at(index).pair));
    if (state_word::pending(state) || state == timer_state::firing) ++count;  // a firing one may be re-armed
  }
  return count;
}

// The parent's threads do not exist here and what they held is as they left it: nothing can be taken apart. Its
// std::thread is not even detached: the id may be that of a thread which the child has started since.
void driven_engine::leave_to_parent() noexcept {
  live_cores::remove(*this);
  wake_fd::close(in.release_fd());
}

void driven_engine::end() noexcept {
  if (is_forked()) return leave_to_parent();
  const base::cancel_hold held;
  const bool driven_by_me = life.is_driven_by(std::this_thread::get_id());
  if (run_scope::inside(*this))
    abandoned.store(true, base::relaxed);  // relaxed: read by this thread; others find `stopping`
  if (begin_stop()) {
    end_drive();
    collect_all(nullptr);
    if (is_forked()) return leave_to_parent();  // a capture forked as it was destroyed, and this is the child
    finish_stop();
  }
  counts.end();
  const int fd = in.release_fd();
  threads.wait_for_calls();  // a signal has found no descriptor, or is waited for here
  wake_fd::close(fd);
  live_cores::remove(*this);  // until here a fork makes what the child has of it its own
  if (driven_by_me) {
    driver_->set_ended();  // the drive lets go of the executor, and poll() of the core
    if (options.drive == drive_kind::worker) drop_reference();
    return;
  }
  executors.reset();
  drop_reference();
}

}  // namespace detent::detail
