// SPDX-License-Identifier: MIT
#pragma once
#include <detent/durable_store.hpp>

#include <cstdint>
#include <vector>

namespace detent::tool {

// Sends changes to a store in pieces of bounded size and counts what becomes of them. A timer that a node has in hand
// is cancelled by that node, so its answer is waited for.
class change_run {
 public:
  explicit change_run(durable::store& in) : in_(in) {}

  // Throws input_error if the store fails. Changes that were sent before may have been made.
  void add(durable::change what);
  // Sends the rest and waits for answers, for at most five seconds.
  void finish();

  std::uint64_t done() const { return done_; }        // cancelled, moved or revived
  std::uint64_t running() const { return running_; }  // too late to be cancelled
  std::uint64_t gone() const { return gone_; }        // there is no such timer
  std::uint64_t unknown() const { return unknown_; }  // the node that has it did not answer

  static std::uint64_t new_id();        // always greater than the last one
  static std::uint64_t new_question();  // random

 private:
  void send();
  void note(const durable::change& what, durable::change_status status);
  void take_answers();

  struct asked {
    durable::question_ref which;
    bool is_withdrawn = false;
  };

  durable::store& in_;
  std::vector<durable::change> waiting_;
  std::vector<asked> asked_;
  std::uint64_t done_ = 0, running_ = 0, gone_ = 0, unknown_ = 0;
};

}  // namespace detent::tool
