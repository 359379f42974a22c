// SPDX-License-Identifier: MIT
// The hand-over to an executor, and what comes back from it.
#include "engine/engine_core.hpp"
#include "observe/probes.hpp"

#include <algorithm>

namespace detent::detail {

// Hands over what comes due together in one go; the pass ends with hand_over_batch().
void engine_core::dispatch(const due_entry& due, std::uint64_t word, const lateness_parts& late) noexcept {
  base::show_acquire(&node_at(due.index));  // the executor may see what came before the arming, too
  batch_to_run_.push_back(fired_timer(*this, due.index, word, due.order, late));  // within its capacity
  if (batch_to_run_.size() == batch_to_run_.capacity()) hand_over_batch();
}

void engine_core::hand_over_batch() noexcept {
  std::span<fired_timer> left(batch_to_run_);
  while (!left.empty() && !ended_by_driver_) {
    if (!retries_.empty()) {
      refused_in_order(std::move(left.front()));
    } else {
      left = left.subspan(executor_->execute_many(left));
      if (left.empty()) break;
      refused(std::move(left.front()));
    }
    left = left.subspan(1);
  }
  batch_to_run_.clear();
}

// Behind others that wait to be taken: keeps the order.
void engine_core::refused_in_order(fired_timer&& work) noexcept {
  try {
    retries_.push_back(std::move(work));
  } catch (const std::bad_alloc&) {
    work();  // no memory to wait in: better out of order than lost
  }
}

void engine_core::refused(fired_timer&& work) noexcept {
  if (ended_by_driver_) return;  // by what execute() ran on this thread: nothing is kept any more
  driver_->counts.add(counter::refused);
  probes::refuse(this, work.index_, work.word_);
  switch (options_.on_refusal) {
    case refusal_policy::run_inline: return work();
    case refusal_policy::retry: return refused_in_order(std::move(work));
    case refusal_policy::drop: static_cast<void>(fired_timer(std::move(work))); return;
  }
}

// Whether refused work waits to be offered again, apart from what was cancelled or restarted meanwhile. That goes, too:
// also behind a first one that nobody takes, when it may be half of all.
bool engine_core::has_offers() noexcept {
  retries_.sift([this](const fired_timer& each) { return observe(node_at(each.index_).pair) != each.word_; });
  return !retries_.empty();
}

void engine_core::retry_refused() noexcept {
  while (has_offers()) {
    // Out of the queue while it is offered: run at once, it may end the engine, which empties the queue.
    fired_timer work = std::move(retries_.front());
    bool taken = executor_->execute(std::move(work));
    if (retries_.empty()) return;  // it did
    if (!taken) {
      driver_->counts.add(counter::refused);
      probes::refuse(this, work.index_, work.word_);  // NOLINT(bugprone-use-after-move): refused, so not taken
      retries_.front() = std::move(work);             // also if the engine was stopped meanwhile: stop() returns it
      return;
    }
    retries_.pop_front();
  }
}

// `word` is the arming at the hand-over, `order` the one that it had before, `late` its lateness then. Does nothing if
// it was cancelled, restarted or returned since.
void engine_core::run_handed_over(node_index index, std::uint64_t word, std::uint32_t order,
                                  const lateness_parts& late) noexcept {
  if (is_forked()) return;  // the run is the parent's
  group_run in_group;
  if ((word & state_word::cold) != 0) {
    group_state* group = nodes_.group_of(index);
    if (group != nullptr && group->paused()) return put_back(index, word, order);
    if (!begin_in_group(in_group, index, word)) return;
  }
  std::uint64_t running = word;
  if (start_dispatched(node_at(index).pair, running) == transition::lost) return;
  record_lease record(threads_);
  // Its turn in this pass, whenever it was handed over.
  if (life_.is_driven_by(std::this_thread::get_id())) node_at(index).placement = pass_stamp_;
  nanoseconds_t now = time_.certain();
  run(*record, index, word, now, arrival(late));
}

void engine_core::let_go(node_index index, std::uint64_t word) noexcept {
  node& dropped = node_at(index);
  if (drop(dropped.pair, word) == transition::lost) return;
  record_lease record(threads_);
  if (recorder_ != nullptr)
    recorder_->ended(operation_kind::drop, index, state_word::generation(word), time_.certain());
  base::show_acquire(&dropped);
  destroy_callable(*dropped.ops, dropped.capture);
  runs_.show_end(&dropped);
  end_pending(index, word);
  count_end(index, word, label_counter::dropped);
  record->counts.add(counter::dropped);
  free_node(*record, index, dropped);
}

}  // namespace detent::detail

namespace detent {

fired_timer::fired_timer(detail::engine_core& core, std::uint32_t index, std::uint64_t word, std::uint32_t order,
                         const detail::lateness_parts& late) noexcept
    : core_(&core), word_(word), index_(index), order_(order), late_(late) {
  core.add_reference();
}

fired_timer& fired_timer::operator=(fired_timer&& other) noexcept {
  fired_timer taken(std::move(other));
  std::swap(core_, taken.core_);
  std::swap(word_, taken.word_);
  std::swap(index_, taken.index_);
  std::swap(order_, taken.order_);
  std::swap(late_, taken.late_);
  return *this;
}

fired_timer::~fired_timer() {
  if (core_ == nullptr) return;
  core_->let_go(index_, word_);
  core_->drop_reference();
}

void fired_timer::operator()() noexcept {
  detail::engine_core* core = std::exchange(core_, nullptr);
  if (core == nullptr) return;
  core->run_handed_over(index_, word_, order_, late_);
  core->drop_reference();
}

}  // namespace detent
