// SPDX-License-Identifier: MIT
#pragma once

#include <detent/durable_error.hpp>
#include <detent/durable_store.hpp>

#include <sqlite3.h>

namespace detent::durable::detail {

// Thrown and caught within the store: no call lets it out.
struct sqlite_failure {
  int code;
};

inline void check(int code) {
  if (code != SQLITE_OK && code != SQLITE_ROW && code != SQLITE_DONE) throw sqlite_failure{code};
}

// Translates SQLite's code into the store's.
errc meaning(int code) noexcept;
template <class F>
errc trying(F&& f) {
  try {
    f();
    return errc{};
  } catch (const sqlite_failure& failure) {
    return meaning(failure.code);
  }
}

// A prepared statement. Text and bytes are bound without a copy, so they must outlive the run.
class statement {
 public:
  statement() noexcept = default;
  statement(sqlite3* in, std::string_view sql) {
    sqlite3_stmt* made = nullptr;
    const int code =
        sqlite3_prepare_v3(in, sql.data(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT, &made, nullptr);
    check(code);
    handle_.reset(made);
  }

  bool is_empty() const noexcept { return handle_ == nullptr; }  // it was made without a query

  // Binds all values in order, beginning with the first parameter.
  template <class... Values>
  statement& with(const Values&... values) {
    sqlite3_reset(handle_.get());
    int place = 0;
    (bind(++place, values), ...);
    return *this;
  }
  // Returns whether there is a row.
  bool step() {
    const int code = sqlite3_step(handle_.get());
    if (code != SQLITE_ROW) sqlite3_reset(handle_.get());
    check(code);
    return code == SQLITE_ROW;
  }
  // Runs the statement to its end and returns how many rows it has changed.
  int run() {
    while (step()) {
    }
    return sqlite3_changes(sqlite3_db_handle(handle_.get()));
  }
  // Drops the remaining rows.
  void reset() noexcept { sqlite3_reset(handle_.get()); }

  std::int64_t number(int column) const noexcept { return sqlite3_column_int64(handle_.get(), column); }
  // The results of the next two are valid until the next step.
  std::string_view text(int column) const noexcept {
    const auto its = bytes(column);
    return {reinterpret_cast<const char*>(its.data()), its.size()};
  }
  std::span<const std::byte> bytes(int column) const noexcept {
    const void* begin = sqlite3_column_blob(handle_.get(), column);
    return {static_cast<const std::byte*>(begin),
            static_cast<std::size_t>(sqlite3_column_bytes(handle_.get(), column))};
  }

 private:
  struct finish {
    void operator()(sqlite3_stmt* its) const noexcept { sqlite3_finalize(its); }
  };

  void bind(int place, std::int64_t value) { check(sqlite3_bind_int64(handle_.get(), place, value)); }
  void bind(int place, std::uint64_t value) { bind(place, static_cast<std::int64_t>(value)); }
  void bind(int place, std::uint32_t value) { bind(place, static_cast<std::int64_t>(value)); }
  void bind(int place, shard_id value) { bind(place, static_cast<std::int64_t>(value)); }
  void bind(int place, bool value) { bind(place, std::int64_t{value}); }
  void bind(int place, stored_time value) { bind(place, std::int64_t{value.time_since_epoch().count()}); }
  void bind(int place, std::string_view value) { bind(place, std::as_bytes(std::span(value))); }
  void bind(int place, const std::string& value) { bind(place, std::string_view(value)); }
  void bind(int place, const std::vector<std::byte>& value) { bind(place, std::span(value)); }
  void bind(int place, const std::optional<std::vector<std::byte>>& value) {
    if (value) return bind(place, *value);
    check(sqlite3_bind_null(handle_.get(), place));
  }
  void bind(int place, std::span<const std::byte> value) {
    // An empty value must not be a null pointer, which would be a NULL.
    const void* begin = value.empty() ? "" : static_cast<const void*>(value.data());
    check(sqlite3_bind_blob(handle_.get(), place, begin, static_cast<int>(value.size()), SQLITE_STATIC));
  }

  std::unique_ptr<sqlite3_stmt, finish> handle_;
};

// The beginning of a query for rows that record_of() reads.
inline constexpr const char* select_record = "SELECT key, id, due, attempt, by_rule, handler, schedule, payload";

// Binds the shard, the values of those columns, and `more`.
template <class... More>
statement& with_record(statement& to, const record& its, const More&... more) {
  return to.with(its.shard, its.key, its.id, its.due, its.attempt, its.by_rule, its.handler, its.schedule, its.payload,
                 more...);
}

inline stored_time due_of(const statement& row) noexcept {
  return stored_time(std::chrono::microseconds(row.number(2)));
}

// Reads a row into `to`, which must be a new record.
inline void read_record(const statement& row, shard_id shard, record& to) {
  const auto payload = row.bytes(7);
  to.shard = shard;
  to.key.assign(row.text(0));
  to.id = static_cast<std::uint64_t>(row.number(1));
  to.due = due_of(row);
  to.attempt = static_cast<std::uint32_t>(row.number(3));
  to.by_rule = row.number(4) != 0;
  to.handler.assign(row.text(5));
  to.schedule.assign(row.text(6));
  to.payload.assign(payload.begin(), payload.end());
}

inline record record_of(const statement& row, shard_id shard) {
  record its;
  read_record(row, shard, its);
  return its;
}

}  // namespace detent::durable::detail
