// SPDX-License-Identifier: MIT
#pragma once

#include <detent/base/atomic.hpp>

#include "thread_record.hpp"

#include <cstdint>
#include <mutex>

namespace detent::detail {

class engine_core;

// An engine's thread records, and each thread's way to its own.
class thread_registry {
 public:
  explicit thread_registry(engine_core& owner) noexcept;
  ~thread_registry();
  thread_registry(const thread_registry&) = delete;
  thread_registry& operator=(const thread_registry&) = delete;

  // The calling thread's record; wait-free but for a thread's first call. Null where there is no memory for one, and
  // when the thread is so near its end that it could not hand one back.
  thread_record* mine() noexcept { return last_used.engine == engine_id_ ? last_used.record : find_or_make(); }

  // Whether there was memory for the spare record.
  bool ready() const noexcept { return spare_ != nullptr && spare_->producer->valid(); }

  // Every record there ever was. f(thread_record&)
  template <class F>
  void for_each(F&& f) const {
    for (thread_record* each = first_.load(base::acquire); each != nullptr; each = each->next)
      f(*each);  // (1) pairs with (2)
  }
  std::uint64_t total(counter which) const noexcept;

  // Stands in where mine() is null; its users wait for each other.
  thread_record& borrow_spare() noexcept {
    spare_turn_.lock();
    return *spare_;
  }
  // Of either kind of record; the thread's own needs no giving back.
  void give_back(thread_record& used) noexcept {
    if (&used == spare_) [[unlikely]]
      spare_turn_.unlock();
  }

 private:
  friend struct thread_exit;
  struct shortcut {
    std::uint64_t engine = 0;  // engines are numbered from 1 and no number comes twice
    thread_record* record = nullptr;
  };
  static thread_local shortcut last_used;

  thread_record* find_or_make() noexcept;
  thread_record* adopt_or_make() noexcept;

  const std::uint64_t engine_id_;
  engine_core& owner_;
  base::atomic<thread_record*> first_{nullptr};  // only grows
  thread_record* spare_ = nullptr;
  std::recursive_mutex spare_turn_;
};

// A record to work with for the length of a call, whatever the state of the thread.
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
