// SPDX-License-Identifier: MIT
// The contract of a store as a model: it foretells answers, and judges readings, whose order in an instant is free.
#pragma once

#include "conformance.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

namespace durable_test {

// A change that lands in the instant of a level that is not whole is at or below that as the store likes: `unknown`,
// until the next reading tells. No change of an unknown timer may come before that.
class model {
 public:
  struct timer {
    record what;
    std::optional<record> successor = {};
    bool below = false, unknown = false;  // both matter in the instant of the level alone
  };
  struct grave {
    record what;
    std::string why;
  };
  // Two answers to a kill that is sent again are right.
  struct statuses {
    change_status one, other;
    statuses(change_status its) : one(its), other(its) {}
    statuses(change_status its, change_status or_this) : one(its), other(or_this) {}
  };

  statuses apply(const put_request& what) {
    shard_model& in = shards_.at(what.what.shard);
    const record& its = what.what;
    const bool moves = what.mode == put_mode::move;
    timer* old = find(in, its.key);
    if (old == nullptr) {
      if (what.mode == put_mode::revive) return revive(in, its);
      if (moves) return change_status::gone;
      add(in, its);
      return change_status::stored;
    }
    if (old->what.id == its.id) return moves ? change_status::moved : change_status::stored;
    if (what.mode == put_mode::revive) return change_status::gone;
    if (what.mode == put_mode::fail) return change_status::exists;
    if (what.mode == put_mode::keep) return keep(in, *old, its);
    record now = moves ? old->what : its;
    now.due = due_of(in, what);
    if (moves) std::tie(now.id, now.attempt, now.by_rule) = std::tuple(its.id, 1u, its.by_rule);
    set(in, std::move(now), {}, is_below(in, *old));
    return moves ? change_status::moved : change_status::replaced;
  }

  statuses apply(const cancel_request& what) {
    shard_model& in = shards_.at(what.shard);
    timer* its = find(in, what.key);
    if (its == nullptr) return in.dead.erase(what.key) != 0 ? change_status::cancelled : change_status::gone;
    its->successor.reset();
    if (is_below(in, *its)) {
      announce(in, {.key = what.key, .question = what.question});
      return change_status::asked;
    }
    in.live.erase(what.key);
    if (!in.stands || !(in.unread.contains(what.key) || in.handed_over.contains(what.key)))
      return change_status::cancelled;
    announce(in, {.key = what.key, .question = what.question});
    return change_status::withdrawn;
  }

  statuses apply(const end_request& what) {
    shard_model& in = shards_.at(what.term.shard);
    if (!stands(what.term)) return change_status::fenced;
    if (what.question != 0) in.answers[what.question] = what.reply;
    timer* its = find(in, what.key);
    if (what.how == end_kind::unkeep) {
      if (its == nullptr || !its->successor || its->successor->id != what.id) return change_status::gone;
      its->successor.reset();
      return change_status::ended;
    }
    if (its == nullptr || its->what.id != what.id || its->what.due != what.ran) {
      const bool moved_before = what.how == end_kind::move && its != nullptr && its->what.id == what.id &&
                                its->what.due == what.due && its->what.attempt == what.attempt;
      const auto dead = in.dead.find(what.key);
      if (what.how == end_kind::kill && dead != in.dead.end() && dead->second.what.id == what.id)
        return {change_status::gone, change_status::ended};
      return moved_before ? change_status::ended : change_status::gone;
    }
    if (what.how == end_kind::leave) return change_status::ended;
    timer was = *its;
    if (what.how == end_kind::move) {
      std::tie(was.what.due, was.what.attempt, was.what.by_rule) = std::tie(what.due, what.attempt, what.by_rule);
      if (what.payload) was.what.payload = *what.payload;
      if (what.attempt == 1 && what.due != what.ran) was.successor.reset();
      set(in, std::move(was.what), std::move(was.successor), false, true);
      return change_status::ended;
    }
    in.live.erase(what.key);
    if (what.how == end_kind::kill) in.dead.insert_or_assign(what.key, grave{was.what, what.why});
    if (was.successor) add(in, std::move(*was.successor));
    return change_status::ended;
  }

  // Returns whether the change may be sent now: its timer is not unknown, and will not become so for ever.
  bool can(const change& what) const {
    if (const auto* put = std::get_if<put_request>(&what)) {
      const shard_model& in = shards_.at(put->what.shard);
      return !is_unknown(in, put->what.key) && (in.stands || in.whole || due_of(in, *put) != in.upto);
    }
    if (const auto* cancel = std::get_if<cancel_request>(&what))
      return !is_unknown(shards_.at(cancel->shard), cancel->key);
    const auto& end = std::get<end_request>(what);
    return !is_unknown(shards_.at(end.term.shard), end.key);
  }
  bool has_unknown(shard_id shard) const {
    return std::ranges::any_of(shards_.at(shard).live, [](auto& its) { return its.second.unknown; });
  }

  bool stands(const term_ref& term) const {
    return shards_.at(term.shard).stands && shards_.at(term.shard).fence == term.fence;
  }
  void judge_take(shard_id shard, const take_result& its) {
    shard_model& in = shards_.at(shard);
    ASSERT_EQ(its.status, in.stands ? take_status::held : take_status::taken);
    if (in.stands) return;
    EXPECT_GT(its.fence, in.fence);
    EXPECT_EQ(its.abandoned, in.abandoned);
    in.fence = its.fence;
    in.stands = in.abandoned = true;
    read_nothing(in);
  }
  void give_back(const term_ref& term) {
    if (!stands(term)) return;
    shard_model& in = shards_.at(term.shard);
    in.stands = in.abandoned = false;
    read_nothing(in);
  }
  void lapse(const term_ref& term) {
    if (stands(term)) shards_.at(term.shard).stands = false;
  }
  // Loses all terms and answers as well.
  void lose_memory() {
    for (shard_model& in : shards_) {
      in.stands = false;
      in.answers.clear();
      read_nothing(in);
    }
  }

  void judge_read(const read_request& what, const read_result& its) {
    shard_model& in = shards_.at(what.term.shard);
    ASSERT_EQ(its.stands, stands(what.term));
    if (!its.stands) return;
    judge_announced(in, its);
    if (what.limit != 0)
      judge_due(in, what, its);
    else
      EXPECT_TRUE(its.due.empty());
    if (in.upto != stored_time::min()) {
      EXPECT_EQ(its.upto, in.upto);
      EXPECT_EQ(its.whole, in.whole);
    }
    std::vector<record> now;
    std::set<std::string> seen;
    for (const announced& each : its.announced_keys) {
      if (each.question != 0 || each.kept != 0 || !seen.insert(each.key).second) continue;
      const timer* there = find(in, each.key);
      if (there != nullptr && is_below(in, *there)) now.push_back(there->what);
    }
    expect_same(now, its.announced_now);
  }

  answer answer_to(const question_ref& what) const {
    const auto& answers = shards_.at(what.shard).answers;
    const auto found = answers.find(what.question);
    return found == answers.end() ? answer::none : found->second;
  }
  const std::map<std::string, timer>& live(shard_id shard) const { return shards_.at(shard).live; }
  const std::map<std::string, grave>& dead(shard_id shard) const { return shards_.at(shard).dead; }

 private:
  struct expected_announcement {
    announced what;
    bool perhaps = false;  // where its timer lies at or below the level
  };
  struct shard_model {
    std::map<std::string, timer> live;
    std::map<std::string, grave> dead;
    std::uint64_t fence = 0;
    bool stands = false, abandoned = false;
    stored_time upto = stored_time::min();
    bool whole = true;
    std::vector<expected_announcement> announcements;
    std::set<std::string> unread, handed_over;
    std::map<std::uint64_t, answer> answers;
  };

  static timer* find(shard_model& in, const std::string& key) {
    const auto found = in.live.find(key);
    return found == in.live.end() ? nullptr : &found->second;
  }
  static bool is_unknown(const shard_model& in, const std::string& key) {
    const auto found = in.live.find(key);
    return found != in.live.end() && found->second.unknown;
  }
  static stored_time due_of(const shard_model& in, const put_request& what) {
    const auto old = in.live.find(what.what.key);
    if (what.mode != put_mode::replace || !what.what.by_rule || old == in.live.end() || !old->second.what.by_rule)
      return what.what.due;
    return std::min(what.what.due, old->second.what.due);
  }
  static bool is_below(const shard_model& in, const timer& its) {
    return its.what.due != in.upto ? its.what.due < in.upto : in.whole || its.below;
  }
  static void read_nothing(shard_model& in) {
    in.upto = stored_time::min();
    in.whole = true;
    in.announcements.clear();
    in.unread.clear();
    in.handed_over.clear();
    for (auto& [key, its] : in.live) its.below = its.unknown = false;
  }
  static void announce(shard_model& in, announced what, bool perhaps = false) {
    if (!in.stands) return;
    if (what.question == 0 && what.kept == 0 && !perhaps) in.unread.insert(what.key);
    in.announcements.push_back({std::move(what), perhaps});
  }
  // `was_below`: a timer of that key that it replaces; `by_owner`: who has moved it.
  static void set(shard_model& in, record what, std::optional<record> successor, bool was_below,
                  bool by_owner = false) {
    const std::string key = what.key;
    timer& now = in.live[key] = timer{std::move(what), std::move(successor)};
    now.unknown = !in.whole && now.what.due == in.upto;
    const bool certain = was_below || (!by_owner && !now.unknown && is_below(in, now));
    if (certain || now.unknown) announce(in, {.key = key}, !certain);
  }
  static void add(shard_model& in, record what) {
    in.dead.erase(what.key);
    set(in, std::move(what), {}, false);
  }
  static statuses keep(shard_model& in, timer& old, const record& its) {
    if (!is_below(in, old) || old.successor) return change_status::kept;
    old.successor = its;
    announce(in, {.key = its.key, .kept = its.id});
    return change_status::kept;
  }
  static statuses revive(shard_model& in, const record& its) {
    const auto found = in.dead.find(its.key);
    if (found == in.dead.end()) return change_status::gone;
    record again = found->second.what;
    std::tie(again.id, again.due, again.attempt, again.by_rule) = std::tuple(its.id, its.due, 1u, false);
    add(in, std::move(again));
    return change_status::stored;
  }

  static void judge_announced(shard_model& in, const read_result& its) {
    std::size_t at = 0;
    for (const auto& [what, perhaps] : std::exchange(in.announcements, {})) {
      const bool there = at != its.announced_keys.size() && its.announced_keys[at].key == what.key &&
                         its.announced_keys[at].question == what.question && its.announced_keys[at].kept == what.kept;
      ASSERT_TRUE(there || perhaps) << "not announced: " << what.key;
      at += there;
      if (there && perhaps) in.unread.insert(what.key);
    }
    ASSERT_EQ(at, its.announced_keys.size()) << "announced too: " << its.announced_keys[at].key;
    in.handed_over = std::exchange(in.unread, {});
    for (auto& [key, timer] : in.live)
      if (std::exchange(timer.unknown, false)) timer.below = std::ranges::count(its.announced_now, key, &record::key);
  }

  static void judge_due(shard_model& in, const read_request& what, const read_result& its) {
    std::vector<record> left;
    for (const auto& [key, timer] : in.live)
      if (!is_below(in, timer) && timer.what.due <= what.upto) left.push_back(timer.what);
    std::size_t bytes = 0;
    for (const record& each : its.due) {
      const auto found = std::ranges::find(left, each.key, &record::key);
      ASSERT_TRUE(found != left.end()) << "not between the levels: " << each.key;
      expect_same({*found}, {each});
      left.erase(found);
      bytes += each.payload.size();
    }
    ASSERT_TRUE(std::ranges::is_sorted(its.due, {}, [](auto& of) { return std::pair(of.due, of.id); }));
    ASSERT_LE(its.due.size(), what.limit);
    ASSERT_TRUE(bytes <= what.bytes || its.due.size() == 1) << bytes << " bytes";
    if (left.empty()) {
      if (std::pair(what.upto, true) > std::pair(in.upto, in.whole))
        std::tie(in.upto, in.whole) = std::pair(what.upto, true);
      return;
    }
    ASSERT_FALSE(its.due.empty());
    const stored_time next = std::ranges::min(left, {}, &record::due).due;
    const bool full = its.due.size() == what.limit || std::ranges::any_of(left, [&](const record& each) {
                        return each.due == next && bytes + each.payload.size() > what.bytes;
                      });
    ASSERT_TRUE(full) << "it stops without a reason";
    ASSERT_LE(its.due.back().due, next);
    in.upto = its.due.back().due;
    in.whole = its.whole && next != in.upto;
    for (auto& [key, timer] : in.live)
      if (timer.what.due == in.upto) timer.below = std::ranges::count(left, key, &record::key) == 0;
  }

  std::array<shard_model, bed_shards> shards_;
};

}  // namespace durable_test
