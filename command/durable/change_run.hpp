// SPDX-License-Identifier: MIT
#pragma once
#include <detent/durable_store.hpp>

#include <cstdint>
#include <vector>

namespace detent::tool {

// Sends changes to a store in pieces of bounded size, and counts what has become of them. What a node has in hand is
// cancelled by that node, whose answer is waited for.
class change_run {
 public:
  explicit change_run(durable::store& in) : in_(in) {}

  // Throws input_error where the store fails; what was sent before may have been done.
  void add(durable::change what);
  // Sends the rest, and waits for answers, no longer than five seconds.
  void finish();

  std::uint64_t done() const { return done_; }        // cancelled, moved or living again
  std::uint64_t running() const { return running_; }  // cannot be cancelled any more
  std::uint64_t gone() const { return gone_; }        // there is no such timer
  std::uint64_t unknown() const { return unknown_; }  // who has it did not answer

  static std::uint64_t new_id();        // greater than the one before
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
