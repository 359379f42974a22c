// SPDX-License-Identifier: MIT
#pragma once

#include "inbox.hpp"
#include "questions.hpp"
#include "run.hpp"
#include "trials.hpp"

#include <detent/durable_options.hpp>
#include <detent/durable_store.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <unordered_map>
#include <utility>
#include <variant>

namespace detent::durable::detail {

// Why the store could not carry out a change yet.
enum class put_off_by : std::uint8_t { nothing, silent_part, transaction };

// A change on its way to the store.
struct pending_change {
  using putting_caller = std::function<void(put_result)>;

  change what;
  // An operation's caller; or the run that has ended, null for an answer; or a timer that its schedule moves; or a
  // careful run that goes on or starts.
  std::variant<putting_caller, asking_caller, std::shared_ptr<run>, record, marked> by;
  place its_place = {};            // of an operation
  bool stays_with_former = false;  // in one batch
  bool is_owed = false;            // an end of a former term, under that of now
  put_off_by waits_for = put_off_by::nothing;

  bool is_end() const noexcept { return std::holds_alternative<end_request>(what); }
  shard_id shard() const noexcept;
  std::size_t key() const noexcept;  // a hash
};

// Changes that the store could not carry out yet: for a shard whose part of the store does not answer, or for a timer
// that a transaction of the program's own holds. All later changes of that shard or key wait behind them. Used by the
// thread that talks to the store.
class put_off {
 public:
  using queue = std::deque<pending_change>;

  // Says whether a change must wait behind others, and for what.
  put_off_by holds_up(const pending_change& one) const noexcept;
  // Adds it as the last one.
  void add(pending_change&& one, put_off_by why);
  // Takes all that are to be tried again. As many as possible are sent, those of them that must still wait are added,
  // and the rest rejoins. The rest goes before what waits for transactions, so that no number of these holds up all
  // others.
  queue take_all();
  void rejoin(queue&& rest);
  // For each that is over by `is_over`, calls `then`, which may move from it.
  template <class Condition, class F>
  void erase_if(const Condition& is_over, const F& then) {
    std::erase_if(all_, [&](pending_change& one) {
      if (!is_over(std::as_const(one))) return false;
      count(one, -1);
      then(one);
      return true;
    });
  }

  queue& all() noexcept { return all_; }
  const queue& all() const noexcept { return all_; }
  std::size_t ends() const noexcept { return ends_; }
  std::size_t operations() const noexcept { return all_.size() - ends_; }
  bool waits_for_part() const noexcept { return !shards_.empty(); }

 private:
  void count(const pending_change& one, int by);

  queue all_;
  std::unordered_map<std::size_t, std::size_t> shards_, keys_;  // how many wait for each
  std::size_t ends_ = 0;
};

}  // namespace detent::durable::detail
