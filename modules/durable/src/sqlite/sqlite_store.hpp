// SPDX-License-Identifier: MIT
#pragma once

#include "../stores/term_book.hpp"
#include "database.hpp"
#include "span_index.hpp"

#include <detent/durable_store.hpp>

#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace detent::durable::detail {

// Timers and fences in the file, terms in memory: the file's lock proves that the terms of an earlier process are over,
// and so neither a renewal nor a read costs a write.
class sqlite_store_on_file final : public store {
 public:
  sqlite_store_on_file(const std::string& path, const sqlite_options& how);

  shard_id shards() const noexcept override { return file_.shards(); }
  std::string_view name() const noexcept override { return name_; }
  errc call_roll(std::string_view node, std::chrono::milliseconds live_for, roll_call& out) override;
  errc take(std::string_view node, std::span<const take_request> what, std::span<take_result> results) override;
  errc give_back(std::span<const term_ref> what) override;
  errc read_on(std::span<const read_request> what, std::span<read_result> results) override;
  errc end(std::span<const end_request> what, std::span<end_status> results) override;
  errc put(std::span<const put_request> what, std::span<put_status> results) override;
  errc cancel(std::span<const cancel_request> what, std::span<cancel_status> results) override;
  errc read_answers(std::span<const question_ref> what, std::span<answer> results) override;
  errc revive(std::span<const put_request> what, std::span<put_status> results) override;
  errc list(const list_request& which, std::vector<listed_record>& out) override;
  errc look(std::span<shard_state> shards) override;
  void listen(std::function<void(shard_id)> wake) override;

 private:
  struct found_row {
    std::uint64_t id = 0;
    stored_time due{};
    std::int64_t row = 0;  // 0: there is none
    std::uint32_t attempt = 0;
  };

  // Runs `work`. If this returns errc{}, all its changes are in the file and announced; else none of them is.
  template <class Work>
  errc in_transaction(Work&& work);
  void note_place(shard_id shard, const row_place& place);
  void announce_later(shard_id shard, stored_time due, announced what);
  put_status put_one(const put_request& what);
  put_status put_over(const put_request& what, const found_row& old);
  put_status move_to(const put_request& what, const found_row& old);
  found_row find(shard_id shard, const std::string& key);
  put_status revive_one(const put_request& what);
  cancel_status cancel_one(const cancel_request& what);
  end_status end_one(const end_request& what);
  int kill(const end_request& what);
  bool erase_dead(shard_id shard, const std::string& key);
  void read_due(const read_request& what, read_result& out);
  void read_rows(const std::vector<row_place>& places, shard_id shard, std::vector<record>& out);
  void read_announced(shard_id shard, read_result& out);

  database file_;
  const std::string name_;
  term_book book_;
  std::vector<span_index> spans_;                            // of each shard
  std::vector<std::pair<shard_id, announced>> to_announce_;  // of the transaction under way
  bool any_dead_ = false;                                    // while there were none, no put looks for one of its key

  std::mutex listening_;
  std::function<void(shard_id)> wake_;

  statement begin_, commit_, rollback_;
  statement set_fence_, insert_, find_, replace_, move_, erase_, erase_run_, move_run_, find_run_, bury_, find_dead_,
      erase_dead_;
  statement read_spans_, read_row_, read_from_, read_one_;
};

}  // namespace detent::durable::detail
