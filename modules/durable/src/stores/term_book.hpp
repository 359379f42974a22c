// SPDX-License-Identifier: MIT
#pragma once

#include "clocks.hpp"

#include <detent/durable_store.hpp>

#include <chrono>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace detent::durable::detail {

// The terms of a store that one process serves: who has which shard until when, read levels, what is announced to
// owners, answers to questions, and who is there. Not thread-safe.
class term_book {
 public:
  explicit term_book(shard_id shards) : shards_(shards) {}

  shard_id shards() const noexcept { return static_cast<shard_id>(shards_.size()); }
  bool stands(const term_ref& term) const noexcept;
  // How long the standing term has left; 0: there is none.
  std::chrono::milliseconds left(shard_id shard) const noexcept;
  std::uint64_t fence(shard_id shard) const noexcept { return shards_[shard].fence; }
  std::string_view owner(shard_id shard) const noexcept;
  stored_time level(shard_id shard) const noexcept { return shards_[shard].upto; }

  std::uint64_t next_fence(shard_id shard) const noexcept;
  void begin(std::string_view node, const term_ref& term, std::chrono::milliseconds lease);
  // Remembers a term of an earlier process, below which no term may go.
  void remember(const term_ref& ended) noexcept { shards_[ended.shard].fence = ended.fence; }
  void give_back(const term_ref& term) noexcept;
  // Ends the term as if its lease had run out.
  void lapse(const term_ref& term) noexcept;
  void renew(const term_ref& term, std::chrono::milliseconds lease) noexcept;
  void advance(shard_id shard, stored_time upto) noexcept;

  // Whether an owner has to hear of a change there.
  bool has_to_announce(shard_id shard, stored_time due) const noexcept {
    return due <= level(shard) && left(shard).count() != 0;
  }
  // Whether its owner has yet to read of a change.
  bool has_unread(shard_id shard, std::string_view key) const noexcept {
    const shard_terms& its = shards_[shard];
    return left(shard).count() != 0 && (its.unread.contains(key) || its.handed_over.contains(key));
  }
  void announce(shard_id shard, announced what);
  std::vector<announced> take_announced(shard_id shard);

  void answer_to(shard_id shard, std::uint64_t question, answer reply);
  answer answer_of(const question_ref& which) const noexcept;
  void call_roll(std::string_view node, std::chrono::milliseconds live_for, roll_call& out);

 private:
  struct shard_terms {
    std::uint64_t fence = 0;
    std::string node;
    std::chrono::nanoseconds until{};  // of elapsed()
    stored_time upto = stored_time::min();
    std::vector<announced> announced_keys;
    // Of these, those that were changed; and the same of the last reading, which is known to have arrived at the next.
    std::set<std::string, std::less<>> unread, handed_over;
    struct reply {
      answer what;
      std::chrono::nanoseconds at;
    };
    std::unordered_map<std::uint64_t, reply> answers;
  };

  std::vector<shard_terms> shards_;
  std::map<std::string, std::chrono::nanoseconds, std::less<>> nodes_;
};

}  // namespace detent::durable::detail
