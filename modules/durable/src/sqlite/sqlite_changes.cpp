// SPDX-License-Identifier: MIT
#include "sqlite_store.hpp"

#include <algorithm>

namespace detent::durable::detail {

void sqlite_store_on_file::note_place(shard_id shard, const read_place& place) {
  if (place > book_.level(shard)) spans_[shard].add(place);  // otherwise it is announced
}

void sqlite_store_on_file::announce_later(shard_id shard, announced what) {
  const auto& [owner, its] = to_announce_.emplace_back(shard, std::move(what));
  if (its.question == 0 && its.kept == 0) changed_.emplace(owner, its.key);
}

void sqlite_store_on_file::announce_later(shard_id shard, const read_place& changed, announced what) {
  if (book_.has_to_announce(shard, changed)) announce_later(shard, std::move(what));
}

bool sqlite_store_on_file::erase_dead(shard_id shard, const std::string& key) {
  std::int64_t& dead = known_.counts[shard].dead;
  if (dead == 0 || erase_dead_.with(shard, key).run() == 0) return false;
  --dead;
  return true;
}

void sqlite_store_on_file::erase_successor(shard_id shard, const std::string& key) {
  if (known_.successors != 0) known_.successors -= erase_successor_.with(shard, key).run();
}

// The timer before the successor has gone. The successor is erased before it is added, so that a full file has room.
void sqlite_store_on_file::promote(shard_id shard, const std::string& key) {
  if (known_.successors == 0) return;
  if (!find_successor_.with(shard, key).step()) return;
  const record its = record_of(find_successor_, shard);
  find_successor_.reset();
  erase_successor(shard, key);
  add(its);
}

sqlite_store_on_file::found_row sqlite_store_on_file::find_row(shard_id shard, const std::string& key) {
  if (!find_.with(shard, key).step()) return {};
  const found_row found{
      static_cast<std::uint64_t>(find_.number(0)), stored_time(std::chrono::microseconds(find_.number(1))),
      static_cast<std::uint64_t>(find_.number(2)), static_cast<std::uint32_t>(find_.number(3)), find_.number(4) != 0};
  find_.reset();
  return found;
}

void sqlite_store_on_file::index_if_recurring(const record& its) {
  if (its.schedule.empty() || known_.recurring) return;
  file_.run("CREATE INDEX timers_that_recur ON timers (shard, due, key) WHERE schedule <> x''");
  known_.recurring = true;
}

void sqlite_store_on_file::index_if_in_a_partition(const record& its) {
  if (known_.in_partitions || parts_of(its.key).partition.empty()) return;
  file_.run(index_of_keys);
  known_.in_partitions = true;
}

// Returns false if the key names a timer.
bool sqlite_store_on_file::add(const record& its) {
  index_if_recurring(its);
  index_if_in_a_partition(its);
  if (with_record(insert_, its).run() == 0) return false;
  ++known_.counts[its.shard].timers;
  erase_dead(its.shard, its.key);
  const read_place place{its.due, static_cast<std::uint64_t>(sqlite3_last_insert_rowid(file_.handle()))};
  note_place(its.shard, place);
  announce_later(its.shard, place, {.key = its.key});
  return true;
}

change_status sqlite_store_on_file::keep(const record& its, const found_row& old) {
  if (old.place() > book_.level(its.shard)) return change_status::kept;
  const int added = with_record(add_successor_, its).run();
  known_.successors += added;
  if (added != 0) announce_later(its.shard, old.place(), {.key = its.key, .kept = its.id});
  return change_status::kept;
}

change_status sqlite_store_on_file::put_over(const put_request& what, const found_row& old) {
  const record& its = what.what;
  const bool moves = what.mode == put_mode::move;
  index_if_recurring(its);
  const stored_time due = !moves && its.by_rule && old.by_rule ? std::min(its.due, old.due) : its.due;
  if (moves)
    move_.with(its.shard, its.key, its.id, due, its.by_rule).run();
  else
    replace_.with(its.shard, its.key, its.id, due, its.attempt, its.by_rule, its.handler, its.schedule, its.payload)
        .run();
  erase_successor(its.shard, its.key);
  const read_place place{due, old.row};
  note_place(its.shard, place);
  announce_later(its.shard, std::min(place, old.place()), {.key = its.key});
  return moves ? change_status::moved : change_status::replaced;
}

change_status sqlite_store_on_file::revive(const record& its) {
  const found_row lives = find_row(its.shard, its.key);
  if (lives.row != 0) return lives.id == its.id ? change_status::stored : change_status::gone;
  if (known_.counts[its.shard].dead == 0 || !find_dead_.with(its.shard, its.key).step()) return change_status::gone;
  record again = record_of(find_dead_, its.shard);
  find_dead_.reset();
  again.id = its.id;
  again.due = its.due;
  again.attempt = 1;
  again.by_rule = false;
  erase_dead(its.shard, its.key);  // erased first, so that a full file has room
  add(again);
  return change_status::stored;
}

change_status sqlite_store_on_file::change_one(const put_request& what) {
  const record& its = what.what;
  if (what.mode == put_mode::revive) return revive(its);
  if (what.mode != put_mode::move && add(its)) return change_status::stored;
  const found_row old = find_row(its.shard, its.key);
  if (old.row == 0) return change_status::gone;
  if (old.id == its.id) return what.mode == put_mode::move ? change_status::moved : change_status::stored;
  if (what.mode == put_mode::keep) return keep(its, old);
  return what.mode == put_mode::fail ? change_status::exists : put_over(what, old);
}

change_status sqlite_store_on_file::change_one(const cancel_request& what) {
  const shard_id shard = what.shard;
  const found_row its = find_row(shard, what.key);
  if (its.row == 0) return erase_dead(shard, what.key) ? change_status::cancelled : change_status::gone;
  erase_successor(shard, what.key);
  if (its.place() > book_.level(shard)) {
    known_.counts[shard].timers -= erase_.with(shard, what.key).run();
    if (!book_.has_unread(shard, what.key) && !changed_.contains({shard, what.key})) return change_status::cancelled;
    announce_later(shard, {.key = what.key, .question = what.question});
    return change_status::withdrawn;
  }
  announce_later(shard, its.place(), {.key = what.key, .question = what.question});
  return change_status::asked;
}

bool sqlite_store_on_file::erase_run(const end_request& what) {
  const shard_id shard = what.term.shard;
  const int erased = erase_run_.with(shard, what.key, what.id, what.ran).run();
  known_.counts[shard].timers -= erased;
  return erased != 0;
}

// The timer is erased before it is buried, so that a full file has room.
bool sqlite_store_on_file::kill(const end_request& what) {
  const shard_id shard = what.term.shard;
  if (!find_run_.with(shard, what.key, what.id, what.ran).step()) return false;
  const record its = record_of(find_run_, shard);
  find_run_.reset();
  erase_run(what);
  erase_dead(shard, what.key);
  with_record(bury_, its, what.why, book_.now()).run();
  ++known_.counts[shard].dead;
  return true;
}

bool sqlite_store_on_file::move(const end_request& what) {
  const shard_id shard = what.term.shard;
  move_run_.with(shard, what.key, what.id, what.ran, what.due, what.attempt, what.by_rule, what.payload);
  const bool moved = move_run_.run() != 0;
  const found_row its = find_row(shard, what.key);
  if (!moved) return its.id == what.id && its.due == what.due && its.attempt == what.attempt;  // it was sent again
  if (what.attempt == 1 && what.due != what.ran) erase_successor(shard, what.key);
  note_place(shard, its.place());
  if (book_.has_to_announce_own(shard, its.place())) announce_later(shard, {.key = what.key});
  return true;
}

change_status sqlite_store_on_file::change_one(const end_request& what) {
  const shard_id shard = what.term.shard;
  if (!book_.stands(what.term)) return change_status::fenced;
  bool ended = false;
  switch (what.how) {
    case end_kind::erase: ended = erase_run(what); break;
    case end_kind::move: ended = move(what); break;
    case end_kind::kill: ended = kill(what); break;
    case end_kind::leave:
      if (const found_row its = find_row(shard, what.key); its.row != 0)
        ended = its.id == what.id && its.due == what.ran;
      break;
    case end_kind::unkeep:
      ended = known_.successors != 0 && unkeep_.with(shard, what.key, what.id).run() != 0;
      if (ended) --known_.successors;
      break;
  }
  if (ended && (what.how == end_kind::erase || what.how == end_kind::kill)) promote(shard, what.key);
  return ended ? change_status::ended : change_status::gone;
}

}  // namespace detent::durable::detail
