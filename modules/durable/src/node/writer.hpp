// SPDX-License-Identifier: MIT
#pragma once

#include "common.hpp"
#include "hand.hpp"
#include "inbox.hpp"
#include "put_off.hpp"
#include "questions.hpp"
#include "run.hpp"
#include "trials.hpp"

#include <detent/durable_store.hpp>

#include <algorithm>
#include <unordered_map>

namespace detent::durable::detail {

// Writes requests of callers and outcomes of runs, in batches that keep the order of each key. Ends go before the
// operations of other keys, so that a flood of operations does not hold up runs. If an end finds that its term is over,
// it is kept in case this node gets the shard back before another node does. Then it is written under the new term, and
// its timer does not run twice. Changes that the store cannot carry out yet are put off. Used by the thread that talks
// to the store.
class writer {
 public:
  struct parts {
    inbox& from;
    hand& held;
    questions& asked;
    trials& careful;
    run_journal* listed;  // null if the store has none
  };
  writer(const common& with, const parts& of) : with_(with), of_(of), shards_(with.terms.shards()) {}

  // Takes what has arrived in the inbox.
  void take();
  // Writes one batch; terms are renewed between two batches. When the store has failed, ends and operations are tried
  // apart, because a store without room refuses only operations.
  void write();

  // Writes this owner's answer. `about` is null if the key is not in hand.
  void answer_to(const term_ref& term, const announced& question, answer reply, const run* about);
  // Erases a timer that is not running.
  void erase(const term_ref& term, const record& what);
  // Moves a timer that is not running to the time that its schedule has set.
  void move(const std::shared_ptr<const held_term>& term, const record& what, stored_time to);
  // Writes the attempt of a careful run. give_up() writes that a run has used up its attempts.
  void mark(marked&& what, std::uint32_t attempt);
  void give_up(std::shared_ptr<run> what);
  // Erases the successor of a timer that has yet to start.
  void unkeep(const term_ref& term, const std::string& key, std::uint64_t id);

  std::size_t ends() const noexcept { return ends_; }
  // How many ends wait, not counting those that are put off.
  std::size_t unwritten() const noexcept { return ends_ - put_off_.ends(); }
  bool has_unanswered() const noexcept { return put_off_.waits_for_part(); }
  bool has_put_off() const noexcept { return !put_off_.all().empty(); }
  // The time by elapsed() at which changes that were put off are tried again.
  std::chrono::nanoseconds tries_again_at() const noexcept {
    return has_unanswered() ? with_.problems.retry_at(trouble::of::parts) : held_until_;
  }
  // Returns whether a change waits that can be tried.
  bool has_waiting() const noexcept { return !first_.empty() || !rest_.empty(); }
  bool has_operations() const noexcept { return operations_ != put_off_.operations(); }
  std::uint64_t runs_taken() const noexcept { return runs_taken_; }

  // This node has a new term of the shard, so ends of its former terms are written under that.
  void took(shard_id shard);
  // Returns whether such ends wait. The shard must not be read before they are written.
  bool owes(shard_id shard) const noexcept { return shards_[shard].owed != 0; }
  // Another node has the shard and repeats the runs whose ends were not written.
  void forget(shard_id shard);
  // Lets shards be given back although transactions of the program's own hold some of their timers. The next term deals
  // with those.
  void leave_held();

  // Tells a caller in time that its cancel will take longer than its patience, either because the store does not answer
  // or because there is too much to write.
  void end_impatient();
  // The time by elapsed() at which the first of them has waited long enough.
  std::chrono::nanoseconds impatient_at() const;
  // Gives up all changes: nothing more will be written.
  void give_up();

 private:
  using entry = pending_change;
  using queue = put_off::queue;
  struct of_shard {
    std::vector<entry> late;  // ends whose term was over
    std::size_t owed = 0;
  };

  void take(finished&& one);
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

  const common& with_;
  const parts of_;
  queue first_;  // ends, and what their handlers asked for about their own timers
  queue rest_;   // operations; ends whose key one of them names; ends that go into the batch of one
  put_off put_off_;
  std::chrono::nanoseconds held_until_{};                 // changes that transactions hold are not tried earlier
  std::unordered_map<std::size_t, std::uint32_t> named_;  // how many of `rest_` name each key
  std::vector<of_shard> shards_;
  std::vector<place> over_;
  std::size_t ends_ = 0;
  std::size_t operations_ = 0;
  std::uint64_t runs_taken_ = 0;
  bool apart_ = false;  // the store has failed, so ends and operations are tried apart
};

}  // namespace detent::durable::detail
