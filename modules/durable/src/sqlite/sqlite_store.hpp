// SPDX-License-Identifier: MIT
#pragma once

#include "../stores/looking.hpp"
#include "../stores/term_book.hpp"
#include "database.hpp"
#include "lookups.hpp"
#include "ring.hpp"
#include "span_index.hpp"

#include <detent/durable_store.hpp>

#include <deque>
#include <mutex>
#include <set>
#include <utility>

namespace detent::durable::detail {

// Keeps timers and fences in the file, and terms in memory. The lock of the file proves that the terms of an earlier
// process are over, so neither a renewal nor a reading costs a write.
class sqlite_store_on_file final : public looking<store, sqlite_store_on_file> {
 public:
  sqlite_store_on_file(const std::string& path, const sqlite_options& how);

  run_journal* journal() noexcept override { return ring_ ? &*ring_ : nullptr; }
  shard_id shards() const noexcept override { return file_.shards(); }
  std::string_view name() const noexcept override { return name_; }
  errc call_roll(std::string_view node, std::chrono::milliseconds live_for, roll_call& out) override;
  errc take(std::string_view node, std::span<const take_request> what, std::span<take_result> results) override;
  errc give_back(std::span<const term_ref> what) override;
  errc read_on(std::span<const read_request> what, std::span<read_result> results) override;
  errc apply(std::span<const change> what, std::span<change_status> results) override;
  errc read_answers(std::span<const question_ref> what, std::span<answer> results) override;
  template <class F>
  errc by_lookups(F&& look) {
    return trying([&] { look(looks_); });
  }
  errc look(std::span<shard_state> shards) override;
  errc purge(const list_request& which, purge_page& out) override;
  errc look_at_deaths(std::size_t nth, std::span<stored_time> shards) override;
  std::unique_ptr<store_view> view_apart() override;
  void listen(std::function<void(shard_id)> wake) override;

 private:
  struct row_count {
    std::int64_t timers = 0, dead = 0;
    friend bool operator==(const row_count&, const row_count&) = default;
  };
  struct found_row {
    std::uint64_t id = 0;
    stored_time due{};
    std::uint64_t row = 0;  // 0 if there is none
    std::uint32_t attempt = 0;
    bool by_rule = false;
    read_place place() const noexcept { return {due, row}; }
  };

  void follow_former();
  void follow(const left_ring& its);
  void finish(const left_run& its);
  std::uint64_t next_generation();

  // Runs `work` in a transaction. If it returns errc{}, all changes are in the file and are announced; otherwise none
  // is.
  errc in_transaction(const std::function<void()>& work);
  void write_counts();
  found_row find_row(shard_id shard, const std::string& key);

  change_status change_one(const put_request& what);
  change_status change_one(const cancel_request& what);
  change_status change_one(const end_request& what);
  bool add(const record& its);
  void index_if_recurring(const record& its);
  void index_if_in_a_partition(const record& its);
  change_status keep(const record& its, const found_row& old);
  change_status put_over(const put_request& what, const found_row& old);
  change_status revive(const record& its);
  bool erase_run(const end_request& what);
  bool kill(const end_request& what);
  bool move(const end_request& what);
  void promote(shard_id shard, const std::string& key);
  void erase_successor(shard_id shard, const std::string& key);
  bool erase_dead(shard_id shard, const std::string& key);
  void note_place(shard_id shard, const read_place& place);
  void announce_later(shard_id shard, const read_place& changed, announced what);
  void announce_later(shard_id shard, announced what);

  void read_due(const read_request& what, read_result& out);
  bool read_rows(std::span<const read_place> places, shard_id shard, std::size_t most, std::vector<record>& found);
  void read_announced(shard_id shard, read_result& out);

  database file_;
  std::optional<ring> ring_;                  // empty if the file is only read
  std::chrono::nanoseconds generation_at_{};  // when the present generation was made, by elapsed()
  const std::string name_;
  term_book book_;
  std::vector<span_index> spans_;  // by shard
  // These belong to the transaction under way: its announcements, and the keys that it has changed.
  std::deque<std::pair<shard_id, announced>> to_announce_;
  std::set<std::pair<shard_id, std::string_view>> changed_;
  // Counts rows of a kind. While there are none, no change looks for one of its key, and no put pays for the index of
  // recurring timers or of partitions.
  struct known_rows {
    bool recurring = false, in_partitions = false;
    std::int64_t successors = 0;
    std::vector<row_count> counts;  // by shard
  };
  known_rows known_, committed_;
  // Of a reading that is limited by bytes; grows, and shrinks again if payloads are large.
  std::size_t rows_at_once_ = 256;

  std::mutex listening_;
  std::function<void(shard_id)> wake_;

  lookups looks_;
  statement begin_, commit_, set_generation_, set_counts_, mark_;
  statement set_term_, end_term_, insert_, find_, replace_, move_, erase_, erase_run_, move_run_, find_run_, bury_,
      find_dead_, erase_dead_, add_successor_, find_successor_, erase_successor_, unkeep_;
  statement read_spans_, read_row_, read_from_, read_one_;
};

}  // namespace detent::durable::detail
