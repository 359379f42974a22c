// SPDX-License-Identifier: MIT
// The operations of one execution context that wait for engines: those that are outstanding, and those that an engine
// has ended without the context knowing it yet.
#pragma once

#include <detent/base/atomic.hpp>
#include <detent/detail/entry_store.hpp>
#include <detent/detail/inbox_entry.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

namespace detent::detail {

// Outlives its context as long as it has entries, or others keep it. It has two locks. That of the entries is taken by
// the context's threads, and that of what is due by the engines' threads as well; if both are taken, they are taken in
// this order. Neither is held while code of the user runs.
class context_inbox {
 public:
  context_inbox(const context_inbox&) = delete;
  context_inbox& operator=(const context_inbox&) = delete;

  // Returns a place for an entry, and the block that is to become the entry. No block means that the context has ended.
  // Until leave() the entry is work of the context, and holds the engine's core. Throws bad_alloc.
  std::pair<inbox_place, void*> enter(std::size_t size, engine_core& engine);
  // The entry has been destroyed, or was never made.
  void leave(const inbox_place& place, void* block) noexcept;
  // The engine is done with this entry and will not look at it again. Any thread.
  void deliver(inbox_entry* ended, bool has_elapsed) noexcept;
  // Hands the entry to its handler's executor, on the context or where the entry was initiated.
  void hand_on(inbox_entry& ended) noexcept;
  // Runs on the context. Hands on what engines end inside `poll` on this thread, without a lock for each and without
  // asking the context for a turn.
  template <class Poll>
  void gather(Poll&& poll);
  // Calls `post`, which queues something on the context; the context does not end during the call. Returns false if it
  // has ended. There is no such promise for a context that is not known. Any thread.
  template <class Post>
  bool while_open(Post&& post) noexcept;

  // For objects that refer to the inbox and are no entries of it. The first call is made while the context exists.
  void keep() noexcept { references_.fetch_add(1, base::relaxed); }  // the caller has another reference
  void let_go() noexcept {
    // (2) acq_rel: pairs with itself, so that the last one sees what the others have done.
    if (references_.fetch_sub(1, base::acq_rel) == 1) delete this;
  }

 protected:
  // `lone`: the inbox belongs to no context. Entries go to their executors one by one.
  explicit context_inbox(bool lone) noexcept : lone_(lone) {}
  virtual ~context_inbox() = default;

  // Runs on the context, once for each post_drain(). Throws what a handler throws.
  void drain();
  // Called when the context ends: destroys entries that no executor has, their handlers uncalled.
  void close() noexcept;

 private:
  struct due_entry {
    inbox_entry* entry;
    bool has_elapsed;
  };
  using lot = std::array<due_entry, 64>;  // taken each time that the engines' lock is taken
  // How many entries ahead of its turn an entry is fetched into the cache, and the memory that its handler will touch.
  static constexpr std::size_t entries_ahead = 6, handlers_ahead = 3;

  virtual void post_drain() noexcept = 0;  // queues one drain() on the context
  virtual void queue(inbox_entry& plain) noexcept = 0;
  virtual void hold_work() noexcept = 0;
  virtual void release_work() noexcept = 0;

  class gathered;

  std::size_t take_due(std::span<due_entry> to) noexcept;
  void forget_taken() noexcept;
  void hand_on_all(std::span<const due_entry> taken) noexcept;
  void close_entry(inbox_entry& each) noexcept;

  const bool lone_;
  base::atomic<std::size_t> references_{1};  // the first is the context's

  std::mutex entries_mutex_;
  entry_store store_;   // all entries together hold one reference
  bool ended_ = false;  // the context has ended, or is about to

  std::mutex due_mutex_;
  std::vector<due_entry> due_;  // has room for all entries
  std::size_t taken_ = 0;       // how many of due_ were taken
  bool draining_ = false;       // a drain() is queued or running
  bool closed_ = false;
};

inline std::pair<inbox_place, void*> context_inbox::enter(std::size_t size, engine_core& engine) {
  std::lock_guard lock(entries_mutex_);
  if (ended_) return {};
  if (!store_.has_free_slot() && store_.slots() == due_.capacity()) {
    std::lock_guard due_lock(due_mutex_);
    due_.reserve(std::max(2 * store_.slots(), lot().size()));
  }
  const auto made = store_.take(*this, size, engine);
  if (store_.entries() == 1) {
    keep();
    hold_work();
  }
  return made;
}

inline void context_inbox::leave(const inbox_place& place, void* block) noexcept {
  std::unique_lock lock(entries_mutex_);
  engine_core* const unused = store_.give_back(place, block);
  const bool empty = store_.entries() == 0;
  if (empty && !ended_) release_work();
  lock.unlock();
  if (unused != nullptr) drop_reference(*unused);
  if (empty) let_go();
}

// Collects the entries that engines end on one thread during gather().
class context_inbox::gathered {
 public:
  explicit gathered(context_inbox& of) noexcept : of_(of), before_(std::exchange(innermost_, this)) {}
  gathered(const gathered&) = delete;
  gathered& operator=(const gathered&) = delete;
  ~gathered() {
    innermost_ = before_;
    hand_on();
  }

  // Returns null if nothing is gathered for that inbox.
  static gathered* of_this_thread(const context_inbox& in) noexcept {
    return innermost_ != nullptr && &innermost_->of_ == &in ? innermost_ : nullptr;
  }
  void add(const due_entry& ended) noexcept {
    if (count_ == due_.size()) hand_on();
    due_[count_++] = ended;
  }

 private:
  void hand_on() noexcept { of_.hand_on_all(std::span(due_).first(std::exchange(count_, 0))); }

  static inline constinit thread_local gathered* innermost_ = nullptr;

  context_inbox& of_;
  gathered* const before_;  // set if a context is run inside a callback
  std::size_t count_ = 0;
  lot due_;
};

inline void context_inbox::deliver(inbox_entry* ended, bool has_elapsed) noexcept {
  if (lone_) {
    if (ended->end(has_elapsed)) hand_on(*ended);
    return;
  }
  if (gathered* const here = gathered::of_this_thread(*this)) return here->add({ended, has_elapsed});
  {
    std::lock_guard lock(due_mutex_);
    if (!closed_) {
      if (due_.size() == due_.capacity()) forget_taken();
      due_.push_back({ended, has_elapsed});
      if (!std::exchange(draining_, true)) post_drain();  // under the lock, so that the context cannot end here
      return;
    }
    ended->engine_gone_ = true;
    if (!ended->forgotten_) return;  // close_entry() handles it
  }
  leave(ended->place_, ended);
}

inline void context_inbox::forget_taken() noexcept {
  std::copy(due_.data() + taken_, due_.data() + due_.size(), due_.data());
  due_.resize(due_.size() - std::exchange(taken_, 0));
}

// A single entry runs at once. Of several, each goes to its executor, so that other threads of the context can take
// them while one of their handlers is busy.
inline void context_inbox::drain() {
  lot next;
  std::size_t count = take_due(next);
  if (count == 1 && next[0].entry->is_plain_) {
    count += take_due(std::span(next).subspan(1));
    if (count == 1) {
      if (next[0].entry->end(next[0].has_elapsed)) next[0].entry->run();
      return;
    }
  }
  for (; count != 0; count = take_due(next)) hand_on_all(std::span(next).first(count));
}

template <class Poll>
void context_inbox::gather(Poll&& poll) {
  const gathered here(*this);
  std::forward<Poll>(poll)();
}

inline void context_inbox::hand_on_all(std::span<const due_entry> taken) noexcept {
  for (std::size_t at = 0; at < taken.size(); ++at) {
    if (at + entries_ahead < taken.size()) taken[at + entries_ahead].entry->prefetch();
    inbox_entry& each = *taken[at].entry;
    if (at + handlers_ahead < taken.size()) each.look_ahead(*taken[at + handlers_ahead].entry);
    if (each.end(taken[at].has_elapsed)) hand_on(each);
  }
}

template <class Post>
bool context_inbox::while_open(Post&& post) noexcept {
  if (lone_) {
    std::forward<Post>(post)();
    return true;
  }
  const std::lock_guard lock(due_mutex_);
  if (!closed_) std::forward<Post>(post)();
  return !closed_;
}

inline std::size_t context_inbox::take_due(std::span<due_entry> to) noexcept {
  std::lock_guard lock(due_mutex_);
  const std::size_t taken = std::min(to.size(), due_.size() - taken_);
  std::copy_n(due_.data() + taken_, taken, to.data());
  taken_ += taken;
  if (taken == 0) {
    due_.clear();
    taken_ = 0;
    draining_ = false;
  }
  return taken;
}

inline void context_inbox::hand_on(inbox_entry& ended) noexcept {
  ended.forwarded_ = true;
  ended.is_plain_ ? queue(ended) : ended.forward();
}

inline void context_inbox::close() noexcept {
  {
    std::lock_guard lock(entries_mutex_);
    ended_ = true;
    if (store_.entries() != 0) release_work();
  }
  {
    std::lock_guard lock(due_mutex_);
    closed_ = true;
    for (std::size_t at = taken_; at < due_.size(); ++at) due_[at].entry->engine_gone_ = true;
    due_.clear();
    taken_ = 0;
  }
  for (std::size_t at = 0;; ++at) {
    inbox_entry* each;
    {
      std::lock_guard lock(entries_mutex_);
      if (at == store_.slots()) return;
      each = store_.in_slot(at);
    }
    if (each != nullptr && !each->forwarded_) close_entry(*each);
  }
}

// The callback of the entry's timer may be running, or may be held by what stop() returned; then it delivers later.
inline void context_inbox::close_entry(inbox_entry& each) noexcept {
  each.cancel();
  each.forget();
  {
    std::lock_guard lock(due_mutex_);
    each.forgotten_ = true;
    if (!each.engine_gone_) return;
  }
  leave(each.place_, &each);
}

// A reference to the inbox, for an object that is no entry.
class inbox_hold {
 public:
  explicit inbox_hold(context_inbox& of) noexcept : of_(of) { of_.keep(); }
  inbox_hold(const inbox_hold&) = delete;
  inbox_hold& operator=(const inbox_hold&) = delete;
  ~inbox_hold() { of_.let_go(); }

  context_inbox* operator->() const noexcept { return &of_; }

 private:
  context_inbox& of_;
};

// --- the parts of an entry that need its inbox

inline void entry_callback::end(bool has_elapsed) noexcept { in_->deliver(std::exchange(of_, nullptr), has_elapsed); }

inline void inbox_entry::initiated() noexcept {
  if ((state_.fetch_or(begun, base::acq_rel) & ended) != 0) place_.inbox->hand_on(*this);  // (1) acq_rel, as in end()
}
inline void inbox_entry::drop() noexcept {
  forget();
  place_.inbox->leave(place_, this);
}

}  // namespace detent::detail
