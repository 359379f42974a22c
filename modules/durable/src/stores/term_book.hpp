// SPDX-License-Identifier: MIT
#pragma once

#include "clocks.hpp"

#include <detent/durable_store.hpp>

#include <compare>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace detent::durable::detail {

// A place in the order of a shard's timers: a due time, and a number that the store chooses. No two timers of one
// instant have the same number.
struct read_place {
  stored_time due = stored_time::min();
  std::uint64_t tie = UINT64_MAX;  // the greatest value stands for the end of the instant

  bool is_whole() const noexcept { return tie == UINT64_MAX; }
  friend std::strong_ordering operator<=>(const read_place& a, const read_place& b) noexcept {
    return std::tie(a.due, a.tie) <=> std::tie(b.due, b.tie);
  }
  friend bool operator==(const read_place&, const read_place&) = default;
};

// The terms of a store that one process serves: who has which shard until when, read levels, announcements to owners,
// answers to questions, and which nodes are there. Not thread-safe.
class term_book {
 public:
  explicit term_book(shard_id shards, const clocks& by = {}) : clock_(by), shards_(shards) {}

  shard_id shards() const noexcept { return static_cast<shard_id>(shards_.size()); }
  stored_time now() const noexcept { return clock_.wall_now(); }
  bool stands(const term_ref& term) const noexcept;
  // Returns how long the standing term has left, or 0 if none stands.
  std::chrono::milliseconds left(shard_id shard) const noexcept;
  std::uint64_t fence(shard_id shard) const noexcept { return shards_[shard].fence; }
  std::string_view owner(shard_id shard) const noexcept;
  read_place level(shard_id shard) const noexcept { return shards_[shard].upto; }

  // Returns the result of a take. If the shard is taken, the caller begins the term.
  take_result offer(std::string_view node, shard_id shard) const noexcept;
  void begin(std::string_view node, const term_ref& term, std::chrono::milliseconds lease);
  // Remembers the fence of a term that has ended, because later fences must be greater.
  void remember(const term_ref& ended, bool abandoned) noexcept {
    shards_[ended.shard].fence = ended.fence;
    shards_[ended.shard].abandoned = abandoned;
  }
  void give_back(const term_ref& term) noexcept;
  // Ends the term as if its lease had run out.
  void lapse(const term_ref& term) noexcept;
  void renew(const term_ref& term, std::chrono::milliseconds lease) noexcept;
  void advance(shard_id shard, const read_place& upto) noexcept;

  // Returns whether an owner must hear of a change at that place.
  bool has_to_announce(shard_id shard, const read_place& changed) const noexcept {
    return changed <= level(shard) && left(shard).count() != 0;
  }
  // Returns whether the owner must hear even of a timer that it has moved there itself.
  bool has_to_announce_own(shard_id shard, const read_place& moved) const noexcept {
    const read_place upto = level(shard);
    return !upto.is_whole() && moved.due == upto.due && moved <= upto;
  }
  // Returns whether the owner has yet to read of a change to the key.
  bool has_unread(shard_id shard, std::string_view key) const noexcept {
    const shard_terms& its = shards_[shard];
    return left(shard).count() != 0 && (its.unread.contains(key) || its.handed_over.contains(key));
  }
  void announce(shard_id shard, announced what);
  // Reads the level and what was announced. `find` returns the record of a key and its place, if there is one.
  template <class Find>
  void read_announced(shard_id shard, read_result& out, Find&& find) {
    const read_place upto = level(shard);
    out.upto = upto.due;
    out.whole = upto.is_whole();
    out.announced_keys = take_announced(shard);
    std::set<std::string_view> seen;
    for (const announced& its : out.announced_keys) {
      if (its.question != 0 || its.kept != 0 || !seen.insert(its.key).second) continue;
      if (std::optional<std::pair<read_place, record>> now = find(its.key); now && now->first <= upto)
        out.announced_now.push_back(std::move(now->second));
    }
  }

  void answer_to(shard_id shard, std::uint64_t question, answer reply);
  answer answer_of(const question_ref& which) const noexcept;
  void call_roll(std::string_view node, std::chrono::milliseconds live_for, roll_call& out);

 private:
  std::vector<announced> take_announced(shard_id shard);

  struct shard_terms {
    std::uint64_t fence = 0;
    std::string node;
    std::chrono::nanoseconds until{};  // by clocks::elapsed()
    read_place upto;
    bool abandoned = false;
    std::vector<announced> announced_keys;
    // Keys that were changed since the last reading, and those whose changes that reading has handed over. Only the
    // next reading shows that these have arrived.
    std::set<std::string, std::less<>> unread, handed_over;
    struct reply {
      answer what;
      std::chrono::nanoseconds at;
    };
    std::unordered_map<std::uint64_t, reply> answers;
  };

  clocks clock_;
  std::vector<shard_terms> shards_;
  std::map<std::string, std::chrono::nanoseconds, std::less<>> nodes_;
};

}  // namespace detent::durable::detail
