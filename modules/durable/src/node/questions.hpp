// SPDX-License-Identifier: MIT
#pragma once

#include "inbox.hpp"
#include "trouble.hpp"

#include <detent/durable_store.hpp>

namespace detent::durable::detail {

// The cancels whose answer another node, or this one, owes. Used by the thread that talks to the store.
class questions {
 public:
  questions(store& in, trouble& problems) : store_(in), trouble_(problems) {}

  // `withdrawn` says that the timer is not in the store any more.
  void add(const question_ref& which, asking_caller&& by, bool withdrawn) {
    open_.push_back({which, std::move(by), withdrawn});
  }
  bool are_open() const noexcept { return !open_.empty(); }
  // Reports the answers that have come, and `unknown` to callers whose patience is over.
  void look_for_answers();
  void give_up();

 private:
  struct question {
    question_ref which;
    asking_caller by;
    bool withdrawn;
  };

  store& store_;
  trouble& trouble_;
  std::vector<question> open_;
};

}  // namespace detent::durable::detail
