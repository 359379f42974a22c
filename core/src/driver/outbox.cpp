// SPDX-License-Identifier: MIT
#include "driver/outbox.hpp"

#include <new>
#include <span>

namespace detent::detail {
namespace {

// At most this many go to the executor in one call.
constexpr std::size_t full_batch = 64;

}  // namespace

outbox::outbox(engine_core& core, drive_state& drive)
    : core_(core),
      drive_(drive),
      retries_(!core.runs_inline && core.options.on_refusal == refusal_policy::retry ? core.options.reserve : 0) {
  if (!core.runs_inline) batch_.reserve(full_batch);
}

void outbox::add(const due_entry& due, std::uint64_t word, const lateness_parts& late) noexcept {
  base::show_acquire(&core_.node_at(due.index));  // the executor may see what came before the arming, too
  batch_.push_back(fired_timer(core_, due.index, word, due.order, late));  // within its capacity
  if (batch_.size() == batch_.capacity()) flush();
}

void outbox::flush() noexcept {
  std::span<fired_timer> left(batch_);
  while (!left.empty() && !drive_.ended) {
    if (!retries_.empty()) {
      keep_for_retry(std::move(left.front()));  // after others that wait: keeps the order
    } else {
      left = left.subspan(core_.executor->execute_many(left));
      if (left.empty()) break;
      refused(std::move(left.front()));
    }
    left = left.subspan(1);
  }
  batch_.clear();
}

void outbox::keep_for_retry(fired_timer&& work) noexcept {
  try {
    retries_.push_back(std::move(work));
  } catch (const std::bad_alloc&) {
    work();  // no memory to wait in: better out of order than lost
  }
}

void outbox::refused(fired_timer&& work) noexcept {
  if (drive_.ended) return;  // by what execute() ran on this thread: nothing is kept any more
  core_.seen.refused(*drive_.record, work.index_, work.word_);
  switch (core_.options.on_refusal) {
    case refusal_policy::run_inline: return work();
    case refusal_policy::retry: return keep_for_retry(std::move(work));
    case refusal_policy::drop: static_cast<void>(fired_timer(std::move(work))); return;
  }
}

bool outbox::has_retries() noexcept {
  retries_.sift([this](const fired_timer& each) { return observe(core_.node_at(each.index_).pair) != each.word_; });
  return !retries_.empty();
}

void outbox::retry() noexcept {
  while (has_retries()) {
    // Out of the queue while it is offered: run at once, it may end the engine, which empties the queue.
    fired_timer work = std::move(retries_.front());
    bool taken = core_.executor->execute(std::move(work));
    if (retries_.empty()) return;  // it did
    if (!taken) {
      core_.seen.refused(*drive_.record, work.index_, work.word_);  // NOLINT(bugprone-use-after-move): it was not taken
      retries_.front() = std::move(work);  // also if the engine was stopped meanwhile: stop() returns it
      return;
    }
    retries_.pop_front();
  }
}

}  // namespace detent::detail
