// SPDX-License-Identifier: MIT
#include "sqlite_store.hpp"

#include "../stores/attempts.hpp"

#include <algorithm>
#include <iterator>
#include <random>

namespace detent::durable {
namespace detail {
namespace {

// A copy of the file that is older than this does not take the ring for its own.
constexpr auto generation_lasts = std::chrono::seconds(1);

std::uint64_t random_generation() {
  std::random_device device;
  return std::uint64_t{device()} << 32 | device() | 1;  // never 0, which stands for none
}

}  // namespace

sqlite_store_on_file::sqlite_store_on_file(const std::string& path, const sqlite_options& how)
    : file_(path, how), name_("sqlite " + path), book_(file_.shards()), spans_(file_.shards()), looks_(file_.handle()) {
  const auto make = [&](std::string_view sql) { return statement(file_.handle(), sql); };
  begin_ = make("BEGIN IMMEDIATE");
  commit_ = make("COMMIT");
  set_generation_ = make("UPDATE ring SET generation = ?");
  set_counts_ = make("UPDATE shards SET timers = ?2, dead = ?3 WHERE shard = ?1");
  mark_ =
      make("UPDATE timers SET attempt = ?6 WHERE shard = ?1 AND key = ?2 AND id = ?3 AND due = ?4 AND attempt = ?5");
  set_term_ = make("UPDATE shards SET fence = ?2, held = 1 WHERE shard = ?1");
  end_term_ = make("UPDATE shards SET held = 0 WHERE shard = ?1 AND fence = ?2");
  insert_ = make(
      "INSERT INTO timers (shard, key, id, due, attempt, by_rule, handler, schedule, payload) "
      "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (shard, key) DO NOTHING");
  find_ = make("SELECT id, due, row, attempt, by_rule FROM timers WHERE shard = ? AND key = ?");
  replace_ = make(
      "UPDATE timers SET id = ?3, due = ?4, attempt = ?5, by_rule = ?6, handler = ?7, schedule = ?8, payload = ?9 "
      "WHERE shard = ?1 AND key = ?2");
  move_ = make("UPDATE timers SET id = ?3, due = ?4, attempt = 1, by_rule = ?5 WHERE shard = ?1 AND key = ?2");
  erase_ = make("DELETE FROM timers WHERE shard = ? AND key = ?");
  erase_run_ = make("DELETE FROM timers WHERE shard = ? AND key = ? AND id = ? AND due = ?");
  move_run_ = make(
      "UPDATE timers SET due = ?5, attempt = ?6, by_rule = ?7, payload = coalesce(?8, payload) "
      "WHERE shard = ?1 AND key = ?2 AND id = ?3 AND due = ?4");
  const std::string columns = select_record;
  find_run_ = make(columns + " FROM timers WHERE shard = ? AND key = ? AND id = ? AND due = ?");
  bury_ = make("INSERT OR REPLACE INTO dead VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  find_dead_ = make(columns + " FROM dead WHERE shard = ? AND key = ?");
  erase_dead_ = make("DELETE FROM dead WHERE shard = ? AND key = ?");
  add_successor_ =
      make("INSERT INTO successors VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (shard, key) DO NOTHING");
  find_successor_ = make(columns + " FROM successors WHERE shard = ? AND key = ?");
  erase_successor_ = make("DELETE FROM successors WHERE shard = ? AND key = ?");
  unkeep_ = make("DELETE FROM successors WHERE shard = ? AND key = ? AND id = ?");
  read_spans_ = make(span_index::query);
  const std::string row = columns + ", row, shard FROM timers ";
  read_row_ = make(row + "WHERE row = ?");
  read_from_ = make(row + "WHERE row >= ? AND row <= ?");
  read_one_ = make(row + "WHERE shard = ? AND key = ?");

  std::vector<shard_state> had(file_.shards());
  looks_.look(had);
  for (const shard_state& its : had)
    known_.counts.push_back({static_cast<std::int64_t>(its.timers), static_cast<std::int64_t>(its.dead)});
  statement successors = make("SELECT count(*) FROM successors");
  if (successors.step()) known_.successors = successors.number(0);
  successors.reset();
  known_.recurring = looks_.has("timers_that_recur");
  known_.in_partitions = looks_.has("timers_in_partitions");
  committed_ = known_;
  if (!file_.read_only()) follow_former();
  statement terms = make("SELECT shard, fence, held FROM shards");
  while (terms.step()) {
    const auto shard = static_cast<shard_id>(terms.number(0));
    if (shard < book_.shards())
      book_.remember({shard, static_cast<std::uint64_t>(terms.number(1))}, terms.number(2) != 0);
  }
}

errc sqlite_store_on_file::in_transaction(const std::function<void()>& work) {
  if (!file_.read_only() && !file_.is_ours()) return errc::in_use;
  to_announce_.clear();
  changed_.clear();
  try {
    begin_.with().run();
    work();
    write_counts();
    const std::uint64_t next = next_generation();
    if (next != 0) set_generation_.with(next).run();
    commit_.with().run();
    if (next != 0) ring_->has(next);
    committed_ = known_;
  } catch (const sqlite_failure& failure) {
    if (sqlite3_get_autocommit(file_.handle()) == 0)
      sqlite3_exec(file_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
    known_ = committed_;
    return meaning(failure.code);
  } catch (...) {
    sqlite3_exec(file_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
    known_ = committed_;
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

void sqlite_store_on_file::write_counts() {
  for (shard_id shard = 0; shard != file_.shards(); ++shard)
    if (const row_count& its = known_.counts[shard]; its != committed_.counts[shard])
      set_counts_.with(shard, its.timers, its.dead).run();
}

// Before anything is read, writes what the last process that had the file has left in the ring.
void sqlite_store_on_file::follow_former() {
  const std::string path = file_.path() + ".ring";
  statement ask(file_.handle(), "SELECT generation FROM ring");
  const std::uint64_t former = ask.step() ? static_cast<std::uint64_t>(ask.number(0)) : 0;
  ask.reset();
  const left_ring left = ring::read(path, former);
  const std::uint64_t generation = random_generation();
  const errc problem = in_transaction([&] {
    follow(left);
    set_generation_.with(generation).run();
  });
  book_ = term_book(file_.shards());
  if (problem != errc{})
    throw error(problem, "sqlite_store: " + file_.path() + ": what has ended by " + path +
                             " cannot be written: " + sqlite3_errmsg(file_.handle()));
  ring_.emplace(path, generation, left.is_known && left.is_complete);
  generation_at_ = clocks().elapsed();
}

void sqlite_store_on_file::follow(const left_ring& its) {
  // Makes terms under which the changes can be carried out. Nothing has been read, so nothing is announced.
  for (shard_id shard = 0; shard < file_.shards(); ++shard) book_.begin({}, {shard, 1}, std::chrono::hours(1));
  const auto goes_on = [](const left_run& each) { return each.was == left_run::state::under_way; };
  // If several runs were under way, it is not known which one has ended the process, so they will be tried one by one.
  const bool alone = its.is_complete && std::ranges::count_if(its.runs, goes_on) == 1;
  for (const left_run& each : its.runs) {
    if (each.was == left_run::state::ended) finish(each);
    if (!goes_on(each)) continue;
    const attempts had = attempts::of(each.attempt), has = alone ? had.started() : had.shown();
    mark_.with(each.shard, each.key, each.id, each.due, each.attempt, has.stored()).run();
  }
}

// The handler's requests are about the timer as the run had it. So they are not carried out if the store had the run's
// end already, or if another timer has the key.
void sqlite_store_on_file::finish(const left_run& its) {
  end_request end = its.left.end;
  end.term.fence = 1;
  if (its.shard >= file_.shards() || change_one(end) != change_status::ended) return;
  for (const change& each : its.left.asked)
    std::visit([&](const auto& asked) { static_cast<void>(change_one(asked)); }, each);
}

// Returns a new generation from time to time, and otherwise 0.
std::uint64_t sqlite_store_on_file::next_generation() {
  if (!ring_ || clocks().elapsed() - generation_at_ < generation_lasts) return 0;
  generation_at_ = clocks().elapsed();
  const std::uint64_t next = random_generation();
  ring_->about_to_have(next);
  return next;
}

errc sqlite_store_on_file::call_roll(std::string_view node, std::chrono::milliseconds live_for, roll_call& out) {
  book_.call_roll(node, live_for, out);
  return errc{};
}

errc sqlite_store_on_file::take(std::string_view node, std::span<const take_request> what,
                                std::span<take_result> results) {
  std::vector<std::pair<term_ref, std::chrono::milliseconds>> begun;
  const errc problem = in_transaction([&] {
    for (std::size_t i = 0; i < what.size(); ++i) {
      const shard_id shard = what[i].shard;
      const bool named_twice = std::ranges::any_of(begun, [&](auto& its) { return its.first.shard == shard; });
      results[i] = named_twice ? take_result{.left = what[i].lease} : book_.offer(node, shard);
      if (results[i].status == take_status::held) continue;
      set_term_.with(shard, results[i].fence).run();
      begun.push_back({{shard, results[i].fence}, what[i].lease});
    }
  });
  if (problem != errc{}) return problem;
  for (const auto& [term, lease] : begun) {
    book_.begin(node, term, lease);
    spans_[term.shard].clear();
  }
  return errc{};
}

errc sqlite_store_on_file::give_back(std::span<const term_ref> what) {
  std::vector<term_ref> standing;
  std::ranges::copy_if(what, std::back_inserter(standing), [&](const term_ref& its) { return book_.stands(its); });
  if (standing.empty()) return errc{};
  const errc problem = in_transaction([&] {
    for (const term_ref& its : standing) end_term_.with(its.shard, its.fence).run();
  });
  // The terms end in any case. A term whose end is not in the file counts as abandoned.
  for (const term_ref& its : standing) {
    book_.give_back(its);
    book_.remember(its, problem != errc{});
  }
  return problem;
}

errc sqlite_store_on_file::apply(std::span<const change> what, std::span<change_status> results) {
  const errc problem = in_transaction([&] {
    std::ranges::transform(what, results.begin(), [&](const change& one) {
      return std::visit([&](const auto& its) { return change_one(its); }, one);
    });
    if (std::ranges::any_of(what, [](const change& one) { return std::holds_alternative<put_request>(one); }))
      file_.space().make_for_growth();
  });
  if (problem != errc{}) return problem;
  for (std::size_t i = 0; i < what.size(); ++i)
    if (const auto* its = std::get_if<end_request>(&what[i]);
        its != nullptr && its->question != 0 && results[i] != change_status::fenced)
      book_.answer_to(its->term.shard, its->question, its->reply);
  return errc{};
}

}  // namespace detail

std::shared_ptr<store> sqlite_store(const std::string& path, const sqlite_options& how) {
  try {
    return std::make_shared<detail::sqlite_store_on_file>(path, how);
  } catch (const detail::sqlite_failure& failure) {
    const bool lacks = (failure.code & 0xff) == SQLITE_ERROR;  // a table or an index
    throw error(lacks ? errc::corrupt : detail::meaning(failure.code),
                "sqlite_store: " + path + ": " +
                    (lacks ? "its tables are not those of a store" : sqlite3_errstr(failure.code)));
  }
}

}  // namespace detent::durable
