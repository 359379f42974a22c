// SPDX-License-Identifier: MIT
#pragma once

#include "counts.hpp"
#include "hand.hpp"
#include "registry.hpp"
#include "run.hpp"
#include "tenures.hpp"
#include "trouble.hpp"

#include <detent/durable_store.hpp>

#include <deque>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace detent::durable::detail {

// Writes what became of runs, and answers to questions: batches, each entry with the fence of its own term. An end that
// the store refuses, or that finds its term over, is kept for the case that this node gets the shard again before
// another has it: then it is written under the new term, and its timer does not run twice. By the thread that talks to
// the store.
class end_writer {
 public:
  struct parts {
    store& in;
    const options& how;
    const registry& known;
    hand& held;
    tenures& terms;
    trouble& problems;
    counts& counted;
  };
  explicit end_writer(const parts& of) : with_(of), random_(std::random_device{}()), shards_(of.terms.shards()) {}

  void add(std::vector<finished> runs);
  // `about` null: the key is not in hand.
  void answer_to(const term_ref& term, const announced& question, answer reply, const run* about);
  // A timer of which nothing runs.
  void erase(const term_ref& term, const record& what);
  std::size_t waiting() const noexcept { return waiting_.size() + unanswered_.size(); }
  // The number of these that a part of the store has not answered, and that wait until it is tried again.
  std::size_t unanswered() const noexcept { return unanswered_.size(); }
  // This node has a new term of the shard: its ends of former ones go with that.
  void took(shard_id shard);
  // Whether such ends wait: the shard is not to be read before they are written.
  bool owes(shard_id shard) const noexcept { return shards_[shard].owed != 0; }
  // Another node has the shard, and runs again what had not been ended.
  void forget(shard_id shard) noexcept { shards_[shard].late.clear(); }
  // One batch: terms are renewed between two of them. False: the store does not answer.
  bool write();

 private:
  struct entry {
    end_request what;
    std::shared_ptr<run> of;  // null: an answer alone
    bool is_owed = false;     // of a former term, under that of now
  };
  struct of_shard {
    std::vector<entry> late;  // whose term was over
    std::size_t owed = 0;     // of waiting_
  };

  void add(finished one);
  void repeat(const run& of, end_request& end) const;
  void fail(finished& one, end_request& end);
  stored_time after_failure(const run& of, const std::optional<duration>& delay);
  void owe(entry& one, const held_term& now);
  void refused(entry& one);
  void settle(entry& one, end_status status);
  void settle_lapsed(std::deque<entry>& in);
  void settle_first(std::span<const end_status> results);

  const parts with_;
  std::mt19937_64 random_;
  std::deque<entry> waiting_;
  std::vector<of_shard> shards_;
  std::deque<entry> unanswered_;
};

}  // namespace detent::durable::detail
