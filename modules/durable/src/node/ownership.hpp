// SPDX-License-Identifier: MIT
#pragma once

#include <detent/base/atomic.hpp>
#include <detent/durable_store.hpp>

#include <pthread.h>

#include <utility>

namespace detent::durable::detail {

// Claims a store object for this node alone. Throws in_use if another node uses it.
class claimed_store {
 public:
  explicit claimed_store(std::shared_ptr<store> what) : store_(std::move(what)) {
    if (!store_->claim())
      throw error(errc::in_use,
                  std::string(store_->name()) + ": other timers have this store object: connect another one for these");
  }
  claimed_store(const claimed_store&) = delete;
  claimed_store& operator=(const claimed_store&) = delete;
  ~claimed_store() { store_->unclaim(); }

  store& operator*() const noexcept { return *store_; }
  store* operator->() const noexcept { return store_.get(); }

 private:
  const std::shared_ptr<store> store_;
};

// The process that made an object which has a thread. The child of a fork has no such thread, and another thread may
// have held one of the object's locks at the fork. The check costs a load and a comparison.
class own_process {
 public:
  bool is_this() const noexcept { return made_in_ == forks.load(base::relaxed); }  // relaxed: written only by a fork
  // Throws errc::forked for `what`.
  void check(const char* what) const {
    if (!is_this())
      throw error(detent::errc::forked,
                  std::string(what) + ": these timers are the parent process's: make others in the child");
  }

 private:
  static unsigned watch() noexcept {
    // relaxed: the child has no other thread.
    static const int watched = pthread_atfork(nullptr, nullptr, [] { forks.fetch_add(1, base::relaxed); });
    static_cast<void>(watched);
    return forks.load(base::relaxed);
  }
  static inline base::atomic<unsigned> forks{0};  // between the first process and this one

  const unsigned made_in_ = watch();
};

}  // namespace detent::durable::detail
