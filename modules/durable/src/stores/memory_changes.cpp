// SPDX-License-Identifier: MIT
#include "memory_data.hpp"

#include <algorithm>

namespace detent::durable::detail {

void memory_changes::announce(shard_id shard, announced what) {
  data_.book.announce(shard, std::move(what));
  for (const auto& [connection, wake] : data_.listeners) wake(shard);
}

// Adds the timer if its key names none.
void memory_changes::add(record what) {
  memory_shard& in = shard(what.shard);
  const memory_shard::entry& now = in.set(std::move(what));
  const record& its = now.what;
  in.erase_dead(its.key);
  if (data_.book.has_to_announce(its.shard, now.place())) announce(its.shard, {.key = its.key});
}

change_status memory_changes::keep(memory_shard::entry& old, const record& what) {
  if (old.place() > data_.book.level(what.shard) || old.successor) return change_status::kept;
  old.successor = what;
  if (data_.book.has_to_announce(what.shard, old.place())) announce(what.shard, {.key = what.key, .kept = what.id});
  return change_status::kept;
}

change_status memory_changes::put_over(const memory_shard::entry& old, const put_request& what) {
  const read_place before = old.place();
  record now = what.what;
  if (what.mode == put_mode::move) {
    now = old.what;
    now.id = what.what.id;
    now.due = what.what.due;
    now.attempt = 1;
    now.by_rule = what.what.by_rule;
  } else if (now.by_rule && old.what.by_rule) {
    now.due = std::min(now.due, old.what.due);
  }
  const shard_id of = now.shard;
  const memory_shard::entry& after = shard(of).set(std::move(now));
  if (data_.book.has_to_announce(of, std::min(before, after.place()))) announce(of, {.key = after.what.key});
  return what.mode == put_mode::move ? change_status::moved : change_status::replaced;
}

change_status memory_changes::revive(const record& what) {
  if (const memory_shard::entry* lives = shard(what.shard).find(what.key))
    return lives->what.id == what.id ? change_status::stored : change_status::gone;
  const listed_record* its = shard(what.shard).find_dead(what.key);
  if (its == nullptr) return change_status::gone;
  record again = its->what;
  again.id = what.id;
  again.due = what.due;
  again.attempt = 1;
  again.by_rule = false;
  add(std::move(again));
  return change_status::stored;
}

change_status memory_changes::operator()(const put_request& what) {
  const record& its = what.what;
  if (what.mode == put_mode::revive) return revive(its);
  memory_shard::entry* old = shard(its.shard).find(its.key);
  if (old == nullptr) {
    if (what.mode == put_mode::move) return change_status::gone;
    add(its);
    return change_status::stored;
  }
  if (old->what.id == its.id) return what.mode == put_mode::move ? change_status::moved : change_status::stored;
  if (what.mode == put_mode::keep) return keep(*old, its);
  return what.mode == put_mode::fail ? change_status::exists : put_over(*old, what);
}

change_status memory_changes::operator()(const cancel_request& what) {
  memory_shard& of = shard(what.shard);
  memory_shard::entry* its = of.find(what.key);
  if (its == nullptr) return of.erase_dead(what.key) ? change_status::cancelled : change_status::gone;
  const read_place place = its->place();
  if (place > data_.book.level(what.shard)) {
    of.erase(what.key);
    if (!data_.book.has_unread(what.shard, what.key)) return change_status::cancelled;
    announce(what.shard, {.key = what.key, .question = what.question});
    return change_status::withdrawn;
  }
  its->successor.reset();
  if (data_.book.has_to_announce(what.shard, place)) announce(what.shard, {.key = what.key, .question = what.question});
  return change_status::asked;
}

void memory_changes::move(memory_shard::entry& its, const end_request& what) {
  const bool runs_again = what.attempt == 1 && what.due != what.ran;
  std::optional<record> successor = runs_again ? std::nullopt : std::move(its.successor);
  record now = std::move(its.what);
  now.due = what.due;
  now.attempt = what.attempt;
  now.by_rule = what.by_rule;
  if (what.payload) now.payload = *what.payload;
  const read_place place = shard(what.term.shard).set(std::move(now), std::move(successor)).place();
  if (data_.book.has_to_announce_own(what.term.shard, place)) announce(what.term.shard, {.key = what.key});
}

change_status memory_changes::operator()(const end_request& what) {
  memory_shard& of = shard(what.term.shard);
  if (!data_.book.stands(what.term)) return change_status::fenced;
  if (what.question != 0) data_.book.answer_to(what.term.shard, what.question, what.reply);
  memory_shard::entry* its = of.find(what.key);
  if (its == nullptr) return change_status::gone;
  if (what.how == end_kind::unkeep) {
    if (!its->successor || its->successor->id != what.id) return change_status::gone;
    its->successor.reset();
    return change_status::ended;
  }
  if (its->what.id != what.id) return change_status::gone;
  if (its->what.due != what.ran) {
    const bool again = what.how == end_kind::move && its->what.due == what.due && its->what.attempt == what.attempt;
    return again ? change_status::ended : change_status::gone;
  }
  switch (what.how) {
    case end_kind::erase:
    case end_kind::kill: {
      std::optional<record> successor = std::move(its->successor);
      if (what.how == end_kind::kill)
        of.kill(what.key, what.why, data_.book.now());
      else
        of.erase(what.key);
      if (successor) add(std::move(*successor));
      break;
    }
    case end_kind::move: move(*its, what); break;
    case end_kind::leave:
    case end_kind::unkeep: break;
  }
  return change_status::ended;
}

}  // namespace detent::durable::detail
