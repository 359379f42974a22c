// SPDX-License-Identifier: MIT
#pragma once

#include "counts.hpp"
#include "hand.hpp"
#include "inbox.hpp"
#include "put_off.hpp"
#include "questions.hpp"
#include "run.hpp"
#include "tenures.hpp"
#include "trials.hpp"
#include "trouble.hpp"

#include <detent/durable_store.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace detent::durable::detail {

// Writes what callers want and what became of runs, in batches that keep the order of each key. Ends go before the
// operations of other keys, so that a flood of these does not hold up what runs. An end that finds its term over is
// kept for the case that this node gets the shard again before another has it: then it is written under the new term,
// and its timer does not run twice. What the store cannot carry out yet is put off. By the thread that talks to the
// store.
class writer {
 public:
  struct parts {
    store& in;
    const options& how;
    inbox& from;
    hand& held;
    tenures& terms;
    questions& asked;
    trouble& problems;
    counts& counted;
    trials& careful;
    run_journal* listed;  // null: the store has none
  };
  explicit writer(const parts& of) : with_(of), shards_(of.terms.shards()) {}

  // Takes what has arrived.
  void take();
  // Writes one batch: terms are renewed between two of them. Where the store fails, ends and operations are tried
  // apart, as a store without room refuses the one and not the other.
  void write();

  // The owner's answer; `about` null: the key is not in hand.
  void answer_to(const term_ref& term, const announced& question, answer reply, const run* about);
  // A timer of which nothing runs.
  void erase(const term_ref& term, const record& what);
  // A timer of which nothing runs moves to the time that its schedule has set.
  void move(const std::shared_ptr<const held_term>& term, const record& what, stored_time to);
  // A careful run: its attempt, as it is to be stored; and that it has used them up.
  void mark(marked&& what, std::uint32_t attempt);
  void give_up(std::shared_ptr<run> what);
  // The successor of a timer that has yet to start.
  void unkeep(const term_ref& term, const std::string& key, std::uint64_t id);

  std::size_t ends() const noexcept { return ends_; }
  // How many ends wait, except for those that are put off.
  std::size_t unwritten() const noexcept { return ends_ - put_off_.ends(); }
  bool has_unanswered() const noexcept { return put_off_.waits_for_part(); }
  bool has_put_off() const noexcept { return !put_off_.all().empty(); }
  // When that is tried again, by elapsed().
  std::chrono::nanoseconds tries_again_at() const noexcept {
    return has_unanswered() ? with_.problems.retry_at(trouble::of::parts) : held_until_;
  }
  // Whether something waits that can be tried.
  bool has_waiting() const noexcept { return !first_.empty() || !rest_.empty(); }
  bool has_operations() const noexcept { return operations_ != put_off_.operations(); }
  std::uint64_t runs_taken() const noexcept { return runs_taken_; }

  // This node has a new term of the shard: its ends of former ones go with that.
  void took(shard_id shard);
  // Whether such ends wait: the shard is not to be read before they are written.
  bool owes(shard_id shard) const noexcept { return shards_[shard].owed != 0; }
  // Another node has the shard, and runs again what had not been ended.
  void forget(shard_id shard);
  // Of shards that are to be given back: no transaction of the program's own keeps them here. What it holds is in the
  // hands of the next term.
  void leave_held();

  // A caller that wants to cancel learns in time that it must wait for longer than its patience, whether the store
  // does not answer or has too much to write.
  void end_impatient();
  // When the first of them has waited long enough, by elapsed().
  std::chrono::nanoseconds impatient_at() const;
  // Nothing of it will be written any more.
  void give_up();

 private:
  using putting_caller = pending_change::putting_caller;
  using entry = pending_change;
  using queue = put_off::queue;
  struct of_shard {
    std::vector<entry> late;  // whose term was over
    std::size_t owed = 0;
  };

  void take(finished&& one);
  entry entry_of(operation&& one);
  void join(queue& to, entry&& one);
  void leave(const entry& one);
  void unname(const entry& one);
  void owe(entry& one, const held_term& now);
  template <class F>
  void for_each_waiting(F&& visit) {
    for (queue* const some : {&first_, &rest_, &put_off_.all()}) std::ranges::for_each(*some, visit);
  }

  void fill(queue& from, std::vector<entry>& batch);
  void put_back(queue& to, std::span<entry> batch);
  errc send(std::vector<entry>& batch);
  void write_of(queue& from, trouble::of kind);
  void wait(entry&& one, put_off_by why);
  void settle_owed_no_more(entry& one);
  void try_put_off_again();
  void settle(entry& one, change_status status);
  void settle(const put_request& what, const entry& one, change_status status);
  void settle(const cancel_request& what, entry& one, change_status status);
  void settle(const end_request& what, entry& one, change_status status);
  void settle(const marked& what, bool stored);
  void refused(entry& one);
  void arm_moved(const record& ran, const end_request& end);
  void release(std::span<const entry> batch, std::span<const change_status> results);
  bool has_lapsed(const entry& one) const;
  void settle_lapsed(queue& in);
  void settle_put_off(const std::function<bool(const entry&)>& is_over);
  void set_puts_aside();

  const parts with_;
  queue first_;  // ends, and what their handlers asked for about their own timers
  queue rest_;   // operations, and ends whose key they name or that go with one
  put_off put_off_;
  std::chrono::nanoseconds held_until_{};                 // what transactions hold is not tried before
  std::unordered_map<std::size_t, std::uint32_t> named_;  // how many of `rest_` name a key
  std::vector<of_shard> shards_;
  std::vector<place> over_;
  std::size_t ends_ = 0;
  std::size_t operations_ = 0;
  std::uint64_t runs_taken_ = 0;
  bool apart_ = false;  // the store has failed
};

}  // namespace detent::durable::detail
