// SPDX-License-Identifier: MIT
// The store in PostgreSQL: readings, and answers to questions.
#include "postgres_store.hpp"

#include <algorithm>
#include <utility>

namespace detent::durable::postgres {
namespace {

constexpr std::size_t most = std::size_t{1} << 40;
constexpr std::size_t most_candidates = 64;  // of successors that may be lost, in a reading

std::int64_t bounded(std::size_t its) noexcept { return static_cast<std::int64_t>(std::min(its, most)); }

enum class part : std::uint8_t { level, due, late, told, successor };

// The columns of a reading.
enum column : int {
  of_part,
  of_shard,
  seq,
  partition,
  key,
  id,
  due,
  tie,
  attempt,
  by_rule,
  handler,
  schedule,
  payload,
  question,
  kept,
  careful
};

record record_of(const rows& from, int row) {
  record out;
  out.shard = static_cast<shard_id>(from.number(row, of_shard));
  out.key = stored_key(from.text(row, key), from.text(row, partition));
  out.id = static_cast<std::uint64_t>(from.number(row, id));
  out.due = from.time(row, due);
  out.attempt = static_cast<std::uint32_t>(from.number(row, attempt));
  out.handler = from.text(row, handler);
  out.schedule = from.text(row, schedule);
  out.payload = from.bytes(row, payload);
  out.by_rule = from.flag(row, by_rule);
  return out;
}

place place_of(const rows& from, int row) { return {from.time(row, due), from.number(row, tie)}; }

// The reading of one shard while its rows arrive.
struct reading {
  read_result* to;
  own_term* mine;  // null if another object took the term
  place before, level;
  std::string snapshot;
  std::vector<int> told, late, successors;  // row numbers
};

// Keeps, of the successors that the reading had asked for, only those that the server still has.
void judge_successors(const rows& from, const reading& its, const std::set<std::string>& asked,
                      std::vector<lost_successor>& lost) {
  std::set<std::string> there;
  for (const int row : its.successors) {
    std::string name = stored_key(from.text(row, key), from.text(row, partition));
    const auto known = its.mine->kept.find(name);
    if (known == its.mine->kept.end()) continue;
    const auto successor = static_cast<std::uint64_t>(from.number(row, kept));
    const bool needless = known->second.needless && known->second.id == successor;
    const auto shard = static_cast<shard_id>(from.number(row, of_shard));
    if (needless || from.is_null(row, id)) lost.push_back({shard, name, successor, needless});
    there.insert(std::move(name));
  }
  for (const std::string& name : asked)
    if (!there.contains(name)) its.mine->kept.erase(name);
}

void finish(const rows& from, reading& its, std::vector<lost_successor>& lost) {
  read_result& out = *its.to;
  out.stands = true;
  out.upto = its.level.due;
  out.whole = its.level.is_whole();
  std::ranges::sort(out.due,
                    [](const record& a, const record& b) { return std::pair(a.due, a.id) < std::pair(b.due, b.id); });
  std::ranges::sort(its.told, {}, [&](int row) { return from.number(row, seq); });
  std::set<std::pair<std::string_view, std::string_view>> named, now;
  const auto name_of = [&](int row) { return std::pair(from.text(row, partition), from.text(row, key)); };
  for (const int row : its.told)
    if (from.number(row, question) == 0 && from.number(row, kept) == 0) named.insert(name_of(row));
  for (const int row : its.late) {
    if (named.contains(name_of(row))) continue;
    out.announced_now.push_back(record_of(from, row));
    out.announced_keys.push_back({out.announced_now.back().key, 0, 0});
  }
  for (const int row : its.told) {
    const auto asked = static_cast<std::uint64_t>(from.number(row, question));
    const auto successor = static_cast<std::uint64_t>(from.number(row, kept));
    std::string name = stored_key(from.text(row, key), from.text(row, partition));
    const bool is_there = !from.is_null(row, id);
    if (successor != 0 && its.mine != nullptr) {
      const bool needless = from.flag(row, careful) && is_there && place_of(from, row) > its.before;
      its.mine->kept.insert_or_assign(name, own_term::successor{successor, needless});
      if (needless || !is_there)
        lost.push_back({static_cast<shard_id>(from.number(row, of_shard)), name, successor, needless});
      if (needless) continue;
    }
    if (asked == 0 && successor == 0 && is_there && place_of(from, row) <= its.level && now.insert(name_of(row)).second)
      out.announced_now.push_back(record_of(from, row));
    out.announced_keys.push_back({std::move(name), asked, successor});
  }
}

}  // namespace

errc postgres_store::read_on(std::span<const read_request> what, std::span<read_result> results) {
  if (read_only_) return errc::not_permitted;
  if (what.empty()) return errc{};
  array shards(type::int2), fences(type::int8), leases(type::int8), uptos(type::time), limits(type::int8),
      sizes(type::int8), dues(type::time), ties(type::int8), snapshots(type::text), strangers(type::int2),
      told_shards(type::int2), told_partitions(type::text), told_keys(type::text), told(type::int8),
      kept_shards(type::int2), kept_partitions(type::text), kept_keys(type::text);
  asked_successors asked;
  for (const read_request& one : what) {
    shards.add(one.term.shard);
    fences.add(one.term.fence);
    leases.add(std::int64_t{1000} * one.lease.count());
    uptos.add(one.upto);
    limits.add(bounded(std::min(one.limit, most_rows_)));
    sizes.add(bounded(one.bytes));
    own_term* const mine = terms_.of(one.term);
    if (mine != nullptr) {
      dues.add(mine->level.due);
      ties.add(mine->level.tie);
    } else {
      dues.add_null();
      ties.add_null();
      strangers.add(one.term.shard);
    }
    if (mine != nullptr && !mine->snapshot.empty())
      snapshots.add(mine->snapshot);
    else
      snapshots.add_null();
    if (mine == nullptr) continue;
    for (const own_term::announcement& its : mine->told) {
      const key_parts parts = parts_of(its.key);
      told_shards.add(one.term.shard);
      told_partitions.add(parts.partition);
      told_keys.add(parts.key);
      told.add(its.seq);
    }
    auto its = mine->kept.upper_bound(mine->asked_last);
    for (std::size_t i = 0; i != std::min(mine->kept.size(), most_candidates); ++i, ++its) {
      if (its == mine->kept.end()) its = mine->kept.begin();
      const key_parts parts = parts_of(its->first);
      kept_shards.add(one.term.shard);
      kept_partitions.add(parts.partition);
      kept_keys.add(parts.key);
      mine->asked_last = its->first;
      asked[one.term.shard].insert(its->first);
    }
  }
  parameters locks, heard, with;
  locks.add(shards);
  for (array* const its : {&told_shards, &told_partitions, &told_keys, &told, &strangers}) heard.add(*its);
  for (array* const its : {&shards, &fences, &leases, &uptos, &limits, &sizes, &dues, &ties, &snapshots, &kept_shards,
                           &kept_partitions, &kept_keys})
    with.add(*its);
  std::vector<query> all = {{statement::begin}, {statement::lock_shards, &locks}};
  if (told.size() + strangers.size() != 0) all.push_back({statement::hear, &heard});
  all.push_back({statement::read_on, &with});
  all.push_back({statement::commit});
  std::vector<rows> found;
  const trouble failed = to_.run(all, found);
  // A reading that exceeds the patience would do so each time, so the next one asks for fewer rows.
  most_rows_ = failed.kind == refusal::lost ? std::max<std::size_t>(std::min(most_rows_, largest_piece) / 2, 1)
                                            : std::min(2 * most_rows_, most);
  if (failed) return code_of(failed.kind);
  std::vector<lost_successor> lost;
  read_rows(found[found.size() - 2], what, results, asked, lost);
  if (!lost.empty()) settle_successors(lost);
  return errc{};
}

// If another transaction holds the row, a later reading settles it.
void postgres_store::settle_successors(std::span<const lost_successor> which) {
  array shards(type::int2), partitions(type::text), keys(type::text), ids(type::int8), needless(type::boolean);
  for (const lost_successor& one : which) {
    const key_parts parts = parts_of(one.key);
    shards.add(one.shard);
    partitions.add(parts.partition);
    keys.add(parts.key);
    ids.add(one.id);
    needless.add(one.needless);
  }
  parameters with;
  for (array* const its : {&shards, &partitions, &keys, &ids, &needless}) with.add(*its);
  rows done;
  static_cast<void>(to_.run({statement::settle_successors, &with}, done));
}

void postgres_store::read_rows(const rows& from, std::span<const read_request> what, std::span<read_result> results,
                               const asked_successors& asked, std::vector<lost_successor>& lost) {
  std::map<shard_id, reading> all;
  for (std::size_t i = 0; i != what.size(); ++i) {
    results[i] = {};
    own_term* const mine = terms_.of(what[i].term);
    all[what[i].term.shard] = {&results[i], mine, mine != nullptr ? mine->level : place{}, {}, {}, {}, {}, {}};
  }
  for (int row = 0; row != from.count(); ++row) {
    reading& its = all[static_cast<shard_id>(from.number(row, of_shard))];
    switch (static_cast<part>(from.number(row, of_part))) {
      case part::level:
        its.level = place_of(from, row);
        its.snapshot = from.text(row, handler);
        break;
      case part::due: its.to->due.push_back(record_of(from, row)); break;
      case part::late: its.late.push_back(row); break;
      case part::told: its.told.push_back(row); break;
      case part::successor: its.successors.push_back(row); break;
    }
  }
  for (auto& [shard, its] : all) {
    if (its.snapshot.empty()) continue;
    if (const auto asked_here = asked.find(shard); its.mine != nullptr && asked_here != asked.end())
      judge_successors(from, its, asked_here->second, lost);
    finish(from, its, lost);
    if (its.mine == nullptr) continue;
    std::vector<own_term::announcement> told;
    for (const int row : its.told)
      told.push_back({stored_key(from.text(row, key), from.text(row, partition)), from.number(row, seq)});
    terms_.note_reading(shard, its.level, std::move(its.snapshot), std::move(told));
  }
}

errc postgres_store::read_answers(std::span<const question_ref> what, std::span<answer> results) {
  if (what.empty()) return errc{};
  array shards(type::int2), questions(type::int8);
  for (const question_ref& one : what) {
    shards.add(one.shard);
    questions.add(one.question);
  }
  parameters with;
  with.add(shards);
  with.add(questions);
  const query one{statement::read_answers, &with};
  std::vector<rows> found;
  if (const errc code = run({&one, 1}, found); code != errc{}) return code;
  std::ranges::fill(results, answer::none);
  for (int i = 0; i != found[0].count(); ++i)
    results[static_cast<std::size_t>(found[0].number(i, 0) - 1)] = static_cast<answer>(found[0].number(i, 1));
  return errc{};
}

}  // namespace detent::durable::postgres
