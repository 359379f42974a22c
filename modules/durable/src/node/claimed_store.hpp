// SPDX-License-Identifier: MIT
#pragma once

#include <detent/durable_store.hpp>

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

}  // namespace detent::durable::detail
