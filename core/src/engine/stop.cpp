// SPDX-License-Identifier: MIT
// The end: of the drive, of every timer, of the engine.
#include "engine/engine_core.hpp"
#include "engine/live_cores.hpp"

#include <new>

namespace detent::detail {

// True for the one that stops; others wait until it is done.
bool engine_core::begin_stop() noexcept {
  if (!life_.begin_stop()) {
    runs_.see_ends();
    return false;
  }
  life_.set_stopper(std::this_thread::get_id());
  threads_.open_shortcuts(shortcuts::none);
  bell_.fence_stop();  // pairs with the one of a push: a producer that this stop does not see sees the stop
  return true;
}

// Nobody turns the wheel any more when this returns, but perhaps the calling thread, further up its stack.
void engine_core::end_drive() noexcept {
  if (life_.is_driven_by(std::this_thread::get_id())) {
    if (worker_.joinable()) worker_.detach();
    return;
  }
  if (worker_.joinable()) {
    bell_.ring();
    worker_.join();
  }
  if (options_.drive == drive_kind::caller) life_.wait_for_drive();
  base::show_acquire(&life_);
}

// First all that has not started, so that no executor goes on to it while this waits for what has; then, once each
// running callback has ended, what it re-armed. False: without memory for them some were destroyed unrun.
bool engine_core::collect_all(std::vector<unfired>* out) noexcept {
  record_lease record(threads_);
  bool all_kept = true;
  const node_index end = pool_.carved();
  for (node_index index = 0; index < end; ++index) {
    if (collect(node_at(index).pair) == collect_result::returned)
      all_kept &= return_timer(*record, index, node_at(index), out);
  }
  for (node_index index = 0; index < end; ++index) {
    node& each = node_at(index);
    for (;;) {
      collect_result found = collect(each.pair);
      if (found == collect_result::returned) all_kept &= return_timer(*record, index, each, out);
      if (found != collect_result::firing || is_forked()) break;  // in a child nobody ends a run of its parent's
      std::uint32_t generation = state_word::generation(observe(each.pair));
      if (run_scope::inside(*this, index, generation)) break;  // ends by itself, as nothing is re-armed now
      runs_.wait(each.pair, generation);
    }
  }
  return all_kept;
}

// A timer that this thread moved to `returned`. Its node may still be filed in a wheel that nobody turns: it is not
// freed, but goes with the pool. False: it was to go to `out`, which has no memory for it.
bool engine_core::return_timer(thread_record& record, node_index index, node& returned,
                               std::vector<unfired>* out) noexcept {
  bool kept = true;
  base::show_acquire(&returned);
  const std::uint64_t word = observe(returned.pair);
  const bool in_group = (word & state_word::cold) != 0;
  const bool cancelled = in_group && is_cancelled_in_group(index);
  if (out != nullptr && !cancelled) {
    nanoseconds_t deadline = deadline_of(returned.pair);
    if (in_group) deadline = ticks_.round_up(later_by(behind_of_group(index), deadline));
    unfired left(timer_access::make(this, index, state_word::generation(word)), to_time(deadline), returned.ops,
                 returned.capture);
    try {
      out->push_back(std::move(left));
    } catch (const std::bad_alloc&) {
      kept = false;  // a producer raced with the count that made room: this one is destroyed unrun, with `left`
    }
  } else {
    destroy_callable(*returned.ops, returned.capture);
  }
  if (cancelled && recorder_ != nullptr) recorder_->cancelled(index, state_word::generation(word));
  end_pending(index, word);
  count_end(index, word, cancelled ? label_counter::cancelled : label_counter::returned);
  record.counts.add(cancelled ? counter::cancelled : counter::returned);
  return kept;
}

errc engine_core::stop(std::vector<unfired>* out) noexcept {
  if (is_forked()) return errc::forked;
  // Inside a callback, or in the destructor of a capture that the driver or a stop further up the stack destroys.
  const std::thread::id me = std::this_thread::get_id();
  if (run_scope::inside(*this) || life_.is_driven_by(me) || life_.is_stopped_by(me)) return errc::called_from_callback;
  if (!begin_stop()) return errc{};
  end_drive();
  errc problem{};
  if (out != nullptr) {
    try {
      out->reserve(count_pending_nodes());
    } catch (const std::bad_alloc&) {
      out = nullptr;  // they are destroyed unrun, and the caller is told why
      problem = errc::out_of_memory;
    }
  }
  if (!collect_all(out)) problem = errc::out_of_memory;
  if (is_forked()) return errc::forked;  // a capture forked as it was destroyed, and this is the child
  finish_stop();
  return problem;
}

void engine_core::finish_stop() noexcept {
  runs_.see_ends();
  retries_.clear();  // stale by now; each holds a reference to this core
  if (recorder_ != nullptr) recorder_->close();
  life_.set_stopper({});
  runs_.show_stop();
  life_.finish_stop();
}

std::size_t engine_core::count_pending_nodes() const noexcept {
  std::size_t count = 0;
  const node_index end = pool_.carved();
  for (node_index index = 0; index < end; ++index) {
    timer_state state = state_word::state(observe(node_at(index).pair));
    if (state_word::pending(state) || state == timer_state::firing) ++count;  // a firing one may be re-armed
  }
  return count;
}

// The parent's threads do not exist here and what they held is as they left it: nothing can be taken apart. Its
// std::thread is not even detached: the id may be that of a thread which the child has started since.
void engine_core::leave_to_parent() noexcept {
  live_cores::remove(*this);
  wake_fd::close(wake_fd_.release());
}

void engine_core::end() noexcept {
  if (is_forked()) return leave_to_parent();
  const bool driven_by_me = life_.is_driven_by(std::this_thread::get_id());
  if (run_scope::inside(*this))
    abandoned_.store(true, base::relaxed);  // relaxed: read by this thread; others find `stopping`
  if (begin_stop()) {
    end_drive();
    collect_all(nullptr);
    if (is_forked()) return leave_to_parent();  // a capture forked as it was destroyed, and this is the child
    finish_stop();
  }
  counts_.end();
  const int fd = wake_fd_.release();
  base::full_fence();  // (1) pairs with the one in after_ring(): a signal finds no descriptor, or is waited for here
  threads_.wait_for_calls();
  wake_fd::close(fd);
  live_cores::remove(*this);  // until here a fork makes what the child has of it its own
  if (driven_by_me) {
    ended_by_driver_ = true;  // the drive is still on the stack: it lets go of the executor, and poll() of the core
    if (options_.drive == drive_kind::worker) drop_reference();
    return;
  }
  executor_.reset();
  drop_reference();
}

void engine_core::disown() noexcept {
  life_.disown(std::this_thread::get_id());
  threads_.open_shortcuts(shortcuts::none);
  counts_.disown();
  wake_fd_.disown();
}

void engine_core::thread_leaves(thread_record& leaving) noexcept {
  pool_.flush(leaving.cache);
  const std::uint32_t unreported = report_every - std::exchange(leaving.until_report, report_every);
  if (unreported != 0 && !stopped()) report_pushes(leaving, unreported);
}

}  // namespace detent::detail
