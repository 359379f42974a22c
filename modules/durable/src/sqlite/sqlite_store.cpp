// SPDX-License-Identifier: MIT
#include "sqlite_store.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace detent::durable {
namespace detail {

sqlite_store_on_file::sqlite_store_on_file(const std::string& path, const sqlite_options& how)
    : file_(path, how), name_("sqlite " + path), book_(file_.shards()), spans_(file_.shards()) {
  const auto make = [&](std::string_view sql) { return statement(file_.handle(), sql); };
  begin_ = make("BEGIN IMMEDIATE");
  commit_ = make("COMMIT");
  rollback_ = make("ROLLBACK");
  set_fence_ = make("UPDATE shards SET fence = ?2 WHERE shard = ?1");
  insert_ = make(
      "INSERT INTO timers (shard, key, id, due, attempt, handler, schedule, payload) VALUES (?, ?, ?, ?, ?, ?, ?, ?) "
      "ON CONFLICT (shard, key) DO NOTHING");
  find_ = make("SELECT id, due, row, attempt FROM timers WHERE shard = ? AND key = ?");
  replace_ = make(
      "UPDATE timers SET id = ?3, due = ?4, attempt = ?5, handler = ?6, schedule = ?7, payload = ?8 "
      "WHERE shard = ?1 AND key = ?2");
  move_ = make("UPDATE timers SET id = ?3, due = ?4, attempt = 1 WHERE shard = ?1 AND key = ?2");
  erase_ = make("DELETE FROM timers WHERE shard = ? AND key = ?");
  erase_run_ = make("DELETE FROM timers WHERE shard = ? AND key = ? AND id = ? AND due = ?");
  move_run_ = make("UPDATE timers SET due = ?5, attempt = ?6 WHERE shard = ?1 AND key = ?2 AND id = ?3 AND due = ?4");
  find_run_ =
      make("SELECT attempt, handler, schedule, payload FROM timers WHERE shard = ? AND key = ? AND id = ? AND due = ?");
  bury_ = make("INSERT OR REPLACE INTO dead VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");
  find_dead_ = make("SELECT handler, schedule, payload FROM dead WHERE shard = ? AND key = ?");
  erase_dead_ = make("DELETE FROM dead WHERE shard = ? AND key = ?");
  read_spans_ = make(span_index::query);
  read_row_ = make("SELECT key, id, due, attempt, handler, schedule, payload, row, shard FROM timers WHERE row = ?");
  read_from_ = make(
      "SELECT key, id, due, attempt, handler, schedule, payload, row, shard FROM timers "
      "WHERE row >= ? AND row <= ?");
  read_one_ = make("SELECT key, id, due, attempt, handler, schedule, payload FROM timers WHERE shard = ? AND key = ?");

  statement fences = make("SELECT shard, fence FROM shards");
  while (fences.step()) {
    const auto shard = static_cast<shard_id>(fences.number(0));
    if (shard < book_.shards()) book_.remember({shard, static_cast<std::uint64_t>(fences.number(1))});
  }
  statement dead = make("SELECT count(*) FROM dead");
  if (dead.step()) any_dead_ = dead.number(0) != 0;
}

template <class Work>
errc sqlite_store_on_file::in_transaction(Work&& work) {
  if (!file_.read_only() && !file_.is_ours()) return errc::in_use;
  try {
    to_announce_.clear();
    begin_.with().run();
    work();
    commit_.with().run();
  } catch (const sqlite_failure& failure) {
    if (sqlite3_get_autocommit(file_.handle()) == 0)
      sqlite3_exec(file_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
    return meaning(failure.code);
  } catch (...) {
    sqlite3_exec(file_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
    throw;
  }
  std::vector<shard_id> owners;
  for (auto& [shard, what] : to_announce_) {
    book_.announce(shard, std::move(what));
    if (std::ranges::find(owners, shard) == owners.end()) owners.push_back(shard);
  }
  if (owners.empty()) return errc{};
  const std::lock_guard locked(listening_);
  if (wake_) std::ranges::for_each(owners, wake_);
  return errc{};
}

errc sqlite_store_on_file::call_roll(std::string_view node, std::chrono::milliseconds live_for, roll_call& out) {
  book_.call_roll(node, live_for, out);
  return errc{};
}

errc sqlite_store_on_file::take(std::string_view node, std::span<const take_request> what,
                                std::span<take_result> results) {
  std::vector<term_ref> begun;
  const errc problem = in_transaction([&] {
    for (std::size_t i = 0; i < what.size(); ++i) {
      const shard_id shard = what[i].shard;
      results[i] = {.left = book_.left(shard)};
      if (results[i].left.count() != 0) continue;
      results[i] = {.status = take_status::taken, .fence = book_.next_fence(shard)};
      set_fence_.with(shard, results[i].fence).run();
      begun.push_back({shard, results[i].fence});
      book_.begin(node, begun.back(), what[i].lease);
      spans_[shard].clear();
    }
  });
  if (problem != errc{}) std::ranges::for_each(begun, [&](const term_ref& term) { book_.give_back(term); });
  return problem;
}

errc sqlite_store_on_file::give_back(std::span<const term_ref> what) {
  for (const term_ref& term : what) book_.give_back(term);
  return errc{};
}

void sqlite_store_on_file::note_place(shard_id shard, const row_place& place) {
  if (place.due > book_.level(shard)) spans_[shard].add(place);  // else it is announced
}

void sqlite_store_on_file::announce_later(shard_id shard, stored_time due, announced what) {
  if (book_.has_to_announce(shard, due)) to_announce_.emplace_back(shard, std::move(what));
}

bool sqlite_store_on_file::erase_dead(shard_id shard, const std::string& key) {
  return any_dead_ && erase_dead_.with(shard, key).run() != 0;
}

sqlite_store_on_file::found_row sqlite_store_on_file::find(shard_id shard, const std::string& key) {
  if (!find_.with(shard, key).step()) return {};
  const found_row found{static_cast<std::uint64_t>(find_.number(0)),
                        stored_time(std::chrono::microseconds(find_.number(1))), find_.number(2),
                        static_cast<std::uint32_t>(find_.number(3))};
  find_.reset();
  return found;
}

put_status sqlite_store_on_file::put_over(const put_request& what, const found_row& old) {
  const record& its = what.what;
  replace_.with(its.shard, its.key, its.id, its.due, its.attempt, its.handler, its.schedule, its.payload).run();
  note_place(its.shard, {its.due, old.row});
  announce_later(its.shard, std::min(its.due, old.due), {its.key});
  return put_status::replaced;
}

put_status sqlite_store_on_file::move_to(const put_request& what, const found_row& old) {
  const record& its = what.what;
  move_.with(its.shard, its.key, its.id, its.due).run();
  note_place(its.shard, {its.due, old.row});
  announce_later(its.shard, std::min(its.due, old.due), {its.key});
  return put_status::moved;
}

put_status sqlite_store_on_file::put_one(const put_request& what) {
  const record& its = what.what;
  if (what.mode != put_mode::move) {
    const int added =
        insert_.with(its.shard, its.key, its.id, its.due, its.attempt, its.handler, its.schedule, its.payload).run();
    if (added != 0) {
      erase_dead(its.shard, its.key);
      note_place(its.shard, {its.due, sqlite3_last_insert_rowid(file_.handle())});
      announce_later(its.shard, its.due, {its.key});
      return put_status::stored;
    }
  }
  const found_row old = find(its.shard, its.key);
  if (old.row == 0) return put_status::gone;
  switch (what.mode) {
    case put_mode::keep: return old.id == its.id ? put_status::stored : put_status::kept;
    case put_mode::fail: return old.id == its.id ? put_status::stored : put_status::exists;
    case put_mode::replace: return old.id == its.id ? put_status::stored : put_over(what, old);
    case put_mode::move: break;
  }
  return old.id == its.id ? put_status::moved : move_to(what, old);
}

errc sqlite_store_on_file::put(std::span<const put_request> what, std::span<put_status> results) {
  return in_transaction(
      [&] { std::ranges::transform(what, results.begin(), [&](const put_request& one) { return put_one(one); }); });
}

cancel_status sqlite_store_on_file::cancel_one(const cancel_request& what) {
  const found_row its = find(what.shard, what.key);
  if (its.row == 0) return erase_dead(what.shard, what.key) ? cancel_status::cancelled : cancel_status::gone;
  if (its.due > book_.level(what.shard)) {
    erase_.with(what.shard, what.key).run();
    if (!book_.has_unread(what.shard, what.key)) return cancel_status::cancelled;
    to_announce_.emplace_back(what.shard, announced{what.key, what.question});
    return cancel_status::withdrawn;
  }
  announce_later(what.shard, its.due, {what.key, what.question});
  return cancel_status::asked;
}

errc sqlite_store_on_file::cancel(std::span<const cancel_request> what, std::span<cancel_status> results) {
  return in_transaction([&] {
    std::ranges::transform(what, results.begin(), [&](const cancel_request& one) { return cancel_one(one); });
  });
}

put_status sqlite_store_on_file::revive_one(const put_request& what) {
  const record& its = what.what;
  if (!find_dead_.with(its.shard, its.key).step()) {
    return find(its.shard, its.key).id == its.id ? put_status::stored : put_status::gone;
  }
  put_request back{its, put_mode::keep};
  back.what.attempt = 1;
  back.what.handler = find_dead_.text(0);
  back.what.schedule = find_dead_.text(1);
  const auto payload = find_dead_.bytes(2);
  back.what.payload.assign(payload.begin(), payload.end());
  find_dead_.reset();
  erase_dead(its.shard, its.key);  // before: a full file has room then
  return put_one(back);
}

errc sqlite_store_on_file::revive(std::span<const put_request> what, std::span<put_status> results) {
  return in_transaction(
      [&] { std::ranges::transform(what, results.begin(), [&](const put_request& one) { return revive_one(one); }); });
}

// Erased before it is buried: a full file has room then.
int sqlite_store_on_file::kill(const end_request& what) {
  const shard_id shard = what.term.shard;
  if (!find_run_.with(shard, what.key, what.id, what.ran).step()) return 0;
  const std::uint64_t attempt = static_cast<std::uint64_t>(find_run_.number(0));
  const std::string handler(find_run_.text(1)), schedule(find_run_.text(2));
  const auto bytes = find_run_.bytes(3);
  const std::vector<std::byte> payload(bytes.begin(), bytes.end());
  find_run_.reset();
  const int erased = erase_run_.with(shard, what.key, what.id, what.ran).run();
  any_dead_ = true;
  bury_.with(shard, what.key, what.id, what.ran, attempt, handler, schedule, payload, what.why).run();
  return erased;
}

end_status sqlite_store_on_file::end_one(const end_request& what) {
  const shard_id shard = what.term.shard;
  if (!book_.stands(what.term)) return end_status::fenced;
  int changed = 0;
  switch (what.how) {
    case end_kind::erase: changed = erase_run_.with(shard, what.key, what.id, what.ran).run(); break;
    case end_kind::move:
      changed = move_run_.with(shard, what.key, what.id, what.ran, what.due, what.attempt).run();
      if (const found_row its = find(shard, what.key); changed != 0)
        note_place(shard, {what.due, its.row});
      else  // sent again
        changed = its.id == what.id && its.due == what.due && its.attempt == what.attempt;
      break;
    case end_kind::kill: changed = kill(what); break;
    case end_kind::leave:
      if (const found_row its = find(shard, what.key); its.row != 0) changed = its.id == what.id && its.due == what.ran;
      break;
  }
  return changed != 0 ? end_status::ended : end_status::gone;
}

errc sqlite_store_on_file::end(std::span<const end_request> what, std::span<end_status> results) {
  const errc problem = in_transaction(
      [&] { std::ranges::transform(what, results.begin(), [&](const end_request& one) { return end_one(one); }); });
  if (problem != errc{}) return problem;
  for (std::size_t i = 0; i < what.size(); ++i)
    if (what[i].question != 0 && results[i] != end_status::fenced)
      book_.answer_to(what[i].term.shard, what[i].question, what[i].reply);
  return errc{};
}

}  // namespace detail

std::shared_ptr<store> sqlite_store(const std::string& path, const sqlite_options& how) {
  return std::make_shared<detail::sqlite_store_on_file>(path, how);
}

}  // namespace detent::durable
