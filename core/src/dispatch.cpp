// SPDX-License-Identifier: MIT
// The hand-over to an executor, and what comes back from it.
#include "engine_core.hpp"
#include "probes.hpp"

#include <algorithm>

namespace detent::detail {

// Hands over what comes due together in one go; the pass ends with hand_over_batch().
void engine_core::dispatch(node_index index, std::uint64_t word, nanoseconds_t now) noexcept {
  batch_to_run_.push_back(fired_timer(*this, index, word, now));  // within its capacity
  if (batch_to_run_.size() == dispatch_batch) hand_over_batch();
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
  const auto is_stale = [this](const fired_timer& each) { return observe(node_at(each.index_).pair) != each.word_; };
  while (!retries_.empty() && is_stale(retries_.front())) retries_.pop_front();
  if (retries_.size() >= retries_to_sift_) {
    std::erase_if(retries_, is_stale);
    retries_to_sift_ = std::max<std::size_t>(2 * retries_.size(), 64);
  }
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

// `word` is the arming at the hand-over. Does nothing if it was cancelled, restarted or returned since.
void engine_core::run_handed_over(node_index index, std::uint64_t word, nanoseconds_t handed_over) noexcept {
  group_run in_group;
  if ((word & state_word::cold) != 0) {
    group_state* group = nodes_.group_of(index);
    if (group != nullptr && group->paused()) return put_back(index, word);
    if (!begin_in_group(in_group, index, word)) return;
  }
  std::uint64_t running = word;
  if (start_dispatched(node_at(index).pair, running) == transition::lost) return;
  record_lease record(threads_);
  // Its turn in this pass, whenever it was handed over.
  if (life_.is_driven_by(std::this_thread::get_id())) node_at(index).placement = pass_stamp_;
  nanoseconds_t now = time_.certain();
  run(*record, index, word, now, handed_over);
}

void engine_core::let_go(node_index index, std::uint64_t word) noexcept {
  node& dropped = node_at(index);
  if (drop(dropped.pair, word) == transition::lost) return;
  record_lease record(threads_);
  if (recorder_ != nullptr)
    recorder_->ended(operation_kind::drop, index, state_word::generation(word), time_.certain());
  destroy_callable(*dropped.ops, dropped.capture);
  end_pending(index, word);
  count_end(index, word, label_counter::dropped);
  record->counts.add(counter::dropped);
  free_node(*record, index, dropped);
}

}  // namespace detent::detail

namespace detent {

fired_timer::fired_timer(detail::engine_core& core, std::uint32_t index, std::uint64_t word,
                         detail::nanoseconds_t now) noexcept
    : core_(&core), word_(word), handed_over_(now), index_(index) {
  core.add_reference();
}

fired_timer& fired_timer::operator=(fired_timer&& other) noexcept {
  fired_timer taken(std::move(other));
  std::swap(core_, taken.core_);
  std::swap(word_, taken.word_);
  std::swap(handed_over_, taken.handed_over_);
  std::swap(index_, taken.index_);
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
  core->run_handed_over(index_, word_, handed_over_);
  core->drop_reference();
}

}  // namespace detent
