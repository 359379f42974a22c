// SPDX-License-Identifier: MIT
#pragma once

#include "counts.hpp"
#include "outbox.hpp"
#include "trouble.hpp"

#include <detent/durable_store.hpp>

#include <chrono>
#include <deque>
#include <vector>

namespace detent::durable::detail {

// Writes what callers want, in their order, and reports what came of it. By the thread that talks to the store.
class operation_writer {
 public:
  operation_writer(store& in, outbox& from, trouble& problems, counts& counted)
      : store_(in), outbox_(from), trouble_(problems), counts_(counted) {}

  bool waiting() const noexcept { return !waiting_.empty() || outbox_.size() != 0; }
  // Something of what it has taken out of the outbox waits.
  bool has_waiting() const noexcept { return !waiting_.empty(); }
  bool asking() const noexcept { return !questions_.empty(); }
  // One batch of a kind, the next in order.
  void write();
  // A caller that wants to cancel learns in time that it has to wait for longer than it has patience, whether the store
  // does not answer or has too much to write.
  void end_impatient();
  // When the first of them has waited long enough, by elapsed().
  std::chrono::nanoseconds impatient_at() const;
  // Answers that came, and patience that is over.
  void look_for_answers();
  // Nothing of it will be written any more.
  void give_up();

 private:
  struct question {
    question_ref which;
    cancel_operation of;
    bool withdrawn = false;  // it is not in the store any more
  };

  void take();
  void write_puts();
  void write_cancels();

  // The first ones are over: flush() waits for a place in the order.
  void over(std::size_t count);
  void drop_given_up();

  store& store_;
  outbox& outbox_;
  trouble& trouble_;
  counts& counts_;
  std::deque<operation> waiting_;
  std::vector<question> questions_;
};

}  // namespace detent::durable::detail
