// SPDX-License-Identifier: MIT
// An engine's thread records, with a thread-local cache of the last one used, which opens the fast paths.
#pragma once

#include <detent/base/atomic.hpp>
#include <detent/base/compiler.hpp>

#include "threads/record_table.hpp"
#include "threads/thread_record.hpp"

#include <cstdint>
#include <mutex>

namespace detent::detail {

// An engine's thread records, and each thread's way to its own.
class thread_registry {
 public:
  explicit thread_registry(const thread_host& host) noexcept;
  ~thread_registry();
  thread_registry(const thread_registry&) = delete;
  thread_registry& operator=(const thread_registry&) = delete;

  // The calling thread's record. Wait-free except for a thread's first call. Null if there is no memory for one, or if
  // the thread is so near its end that it could not hand one back.
  thread_record* mine() noexcept { return last_used.engine == engine_id_ ? last_used.record : find_or_make(); }
  // Returns true and the thread's record of `engine`, which may be null, if that was the engine that it used last and
  // the fast paths that it needs are open. False says nothing. A few instructions, none of which touches the engine.
  DETENT_ALWAYS_INLINE static bool fast_path(const void* engine, fast_paths wanted, thread_record*& record) noexcept {
    if (last_used.owner != engine) return false;
    // A record that outlived an engine at this address is closed. Relaxed: only a hint; anything that must not be
    // missed is checked again.
    record = last_used.record;
    return record->open.load(base::relaxed) >= wanted;
  }
  // To be called if that is false. Returns true if the thread has used the engine before, though not last. It is now
  // the last one, and the fast path is worth another try. It looks into a hash table and does not touch the engine.
  DETENT_ALWAYS_INLINE static bool recall(const void* engine) noexcept {
    if (last_used.owner == engine) return false;
    // A copy of three words: under -fsanitize=null g++ checks the address of a thread's own object by a flag that is
    // not set any more if the linker has relaxed the access to it.
    const record_table its = table;
    const record_table::place* const known = its.find(engine);
    if (known == nullptr) return false;
    last_used = {engine, known->record, known->record->engine};
    return true;
  }
  // Says which ones are open from now on. Closing them takes effect sooner or later.
  void open_fast_paths(fast_paths which) noexcept;
  // The calling thread begins to turn the wheel, with `record`; null: it ceases to.
  void set_driving(thread_record& record, driver_port* driving) const noexcept {
    record.driving = driving;
    record.open.store(driving != nullptr ? fast_paths::none : open_.load(base::relaxed),
                      base::relaxed);  // relaxed: hints
  }

  // Engines are numbered from 1, and no number comes twice.
  std::uint64_t engine() const noexcept { return engine_id_; }

  // Returns whether there was memory for the spare record.
  bool ready() const noexcept { return spare_ != nullptr && spare_->enrolled; }

  // Every record there ever was. f(thread_record&)
  template <class F>
  void for_each(F&& f) const {
    for (thread_record* each = first_.load(base::acquire); each != nullptr; each = each->next)
      f(*each);  // (1) pairs with (2)
  }
  std::uint64_t total(counter which) const noexcept;
  // How much waits in the submission queue; a hint.
  std::size_t backlog() const noexcept;

  // Stands in if mine() is null. While another thread uses it, a record that no thread has is lent instead, because
  // code that runs during the loan, a callback or the end of a capture, may wait for that other thread. Users wait only
  // if there is no memory.
  thread_record& borrow_spare() noexcept;
  // For any kind of record; the thread's own needs no giving back.
  void give_back(thread_record& used) noexcept {
    if (used.lent) [[unlikely]]
      take_back(used);
  }
  // Called at the end of the engine: returns when no other thread is inside a call that raised its hazard flag before,
  // or uses a borrowed record. Sleeps between two checks, because the other thread may need this one's processor.
  void wait_for_calls() noexcept;

 private:
  friend struct thread_exit;
  struct record_of {
    const void* owner = &nobody;  // so that no null pointer finds it
    thread_record* record = nullptr;
    std::uint64_t engine = 0;
  };
  static constexpr char nobody = 0;
  // Constant-initialised and in the static TLS block, so that reading it calls nothing, not even in a shared library.
  DETENT_INITIAL_EXEC static constinit thread_local record_of last_used;
  DETENT_INITIAL_EXEC static constinit thread_local record_table table;

  static void forget(const record_table::place& of_dead) noexcept;
  thread_record* find() const noexcept;  // null: the calling thread has none yet
  thread_record* find_or_make() noexcept;
  void remember(thread_record& record) noexcept;
  thread_record* adopt_or_make() noexcept;
  std::uint32_t first_order() noexcept;
  void take_back(thread_record& used) noexcept;

  const std::uint64_t engine_id_;
  base::atomic<fast_paths> open_{fast_paths::none};
  const thread_host host_;
  base::atomic<thread_record*> first_{nullptr};  // only grows
  base::atomic<std::uint32_t> made_{0};          // records without the spare one
  thread_record* spare_ = nullptr;
  std::recursive_mutex spare_turn_;
};

// A record to work with for the length of a call, in any state of the thread.
class record_lease {
 public:
  explicit record_lease(thread_registry& registry) noexcept : registry_(registry), record_(registry.mine()) {
    if (record_ == nullptr) [[unlikely]]
      record_ = &registry.borrow_spare();
  }
  record_lease(const record_lease&) = delete;
  record_lease& operator=(const record_lease&) = delete;
  ~record_lease() { registry_.give_back(*record_); }
  thread_record& operator*() const noexcept { return *record_; }
  thread_record* operator->() const noexcept { return record_; }

 private:
  thread_registry& registry_;
  thread_record* record_;
};

}  // namespace detent::detail
