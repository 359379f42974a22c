// SPDX-License-Identifier: MIT
#include "driver/outbox.hpp"

#include <detent/base/compiler.hpp>

#include "callers/members.hpp"
#include "limits.hpp"

#include <new>
#include <span>

namespace detent::detail {

DETENT_COLD outbox::outbox(engine_core& core, drive_state& drive)
    : core_(core), drive_(drive), retries_(core.executors.size()) {
  const refusal_policy policy = core.options.on_refusal;
  const bool waits =
      policy == refusal_policy::retry || (policy == refusal_policy::run_inline && core.executors.keeps_order(0));
  if (!retries_.empty() && waits) retries_.front().reserve(core.options.reserve);
  if (!core.runs_inline) batch_.reserve(limits::executor_batch);
}

void outbox::add(const due_entry& due, std::uint64_t word, const lateness_parts& late) noexcept {
  base::show_acquire(&core_.node_at(due.index));  // the executor may see what came before the arming, too
  batch_.push_back(fired_timer(core_, due.index, word, due.order, late));  // within its capacity
  names_others_ |= (word & state_word::cold) != 0;
  if (batch_.size() == batch_.capacity()) flush();
}

// A guess where the timer has been cancelled: then its receiver finds that it does nothing.
std::uint8_t outbox::number_of(const fired_timer& work) const noexcept {
  return (work.word_ & state_word::cold) != 0 ? core_.cold_at(work.index_).executor() : 0;
}

// The first, which is for that executor, and as many after it as are for the same. Asked once for each: the answer for
// one that is cancelled at this moment may change, and must not change it for others.
std::span<fired_timer> outbox::first_of(std::uint8_t to, std::span<fired_timer> work) const noexcept {
  std::size_t count = 1;
  while (count != work.size() && number_of(work[count]) == to) ++count;
  return work.first(count);
}

// The driver's own callbacks come last, or they would hold up what goes to others.
void outbox::flush() noexcept {
  drive_.record->counts.add(counter::handed_over, batch_.size());
  if (!std::exchange(names_others_, false)) {
    offer(0, batch_);
  } else {
    offer_all(false);
    offer_all(true);
  }
  batch_.clear();
}

// One that is cancelled by then may be offered twice, or not at all: it does nothing either way.
void outbox::offer_all(bool inline_ones) noexcept {
  for (std::span<fired_timer> left(batch_); !left.empty() && !drive_.ended;) {
    const std::uint8_t to = number_of(left.front());
    const std::span<fired_timer> next = first_of(to, left);
    if (core_.executors.runs_inline(to) == inline_ones) offer(to, next);
    left = left.subspan(next.size());
  }
}

void outbox::offer(std::uint8_t to, std::span<fired_timer> work) noexcept {
  while (!work.empty() && !drive_.ended) {
    if (drop_stale(retries_[to]); !retries_[to].empty()) {
      keep_for_retry(to, std::move(work.front()));  // after others that wait: keeps the order
    } else {
      work = work.subspan(core_.executors.at(to).execute_many(work));
      if (work.empty()) break;
      refused(to, std::move(work.front()));
    }
    work = work.subspan(1);
  }
}

DETENT_COLD void outbox::keep_for_retry(std::uint8_t by, fired_timer&& work) noexcept {
  try {
    retries_[by].push_back(std::move(work));
  } catch (const std::bad_alloc&) {  // no memory to wait in
    if (core_.executors.keeps_order(by)) {
      static_cast<void>(fired_timer(std::move(work)));  // dropped: beside its key it must not run
    } else {
      work();  // better out of order than lost
    }
  }
}

DETENT_COLD void outbox::refused(std::uint8_t by, fired_timer&& work) noexcept {
  if (drive_.ended) return;  // by what execute() ran on this thread: nothing is kept any more
  core_.seen.refused(*drive_.record, work.index_, work.word_);
  switch (core_.options.on_refusal) {
    case refusal_policy::run_inline:
      if (!core_.executors.keeps_order(by)) return work();
      return keep_for_retry(by, std::move(work));
    case refusal_policy::retry: return keep_for_retry(by, std::move(work));
    case refusal_policy::drop: static_cast<void>(fired_timer(std::move(work))); return;
  }
}

bool outbox::is_stale(const fired_timer& work) const noexcept {
  return observe(core_.node_at(work.index_).pair) != work.word_;
}

// The turn of the first has come. A member of a paused group goes back to the wheel, or it would be offered every
// millisecond of the pause.
bool outbox::goes_back(const fired_timer& work) const noexcept {
  if (!detail::goes_back(core_, work.index_, work.word_)) return false;
  put_back(core_, work.index_, work.word_, work.order_);
  return true;
}

void outbox::drop_stale(retry_queue& among) noexcept {
  if (!among.empty()) [[unlikely]]
    among.sift([this](const fired_timer& work) { return is_stale(work); });
}

DETENT_NOINLINE void outbox::take_back(retry_queue& from) noexcept {
  do {
    drop_stale(from);
  } while (!from.empty() && goes_back(from.front()));
}

bool outbox::has_retries() noexcept {
  for (retry_queue& each : retries_) take_back(each);
  return may_have_retries();
}

std::size_t outbox::retries() const noexcept {
  std::size_t count = 0;
  for (const retry_queue& each : retries_) count += each.size();
  return count;
}

DETENT_COLD void outbox::clear_retries() noexcept {
  for (retry_queue& each : retries_) each.clear();
}

void outbox::retry() noexcept {
  for (std::uint8_t to = 0; to != retries_.size() && retry(to);) ++to;
}

// Returns false if what was offered has ended the engine, and with it all queues.
DETENT_COLD bool outbox::retry(std::uint8_t to) noexcept {
  retry_queue& waiting = retries_[to];
  for (;;) {
    take_back(waiting);
    if (waiting.empty()) return true;
    // Out of the queue while it is offered: run at once, it may end the engine, which empties the queue.
    fired_timer work = std::move(waiting.front());
    bool taken = core_.executors.at(to).execute(std::move(work));
    if (waiting.empty()) return false;  // it did
    if (!taken) {
      core_.seen.refused(*drive_.record, work.index_, work.word_);  // NOLINT(bugprone-use-after-move): it was not taken
      waiting.front() = std::move(work);  // also if the engine has been stopped: stop() returns it
      return true;
    }
    waiting.pop_front();
  }
}

}  // namespace detent::detail
