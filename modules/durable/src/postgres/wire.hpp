// SPDX-License-Identifier: MIT
// Values as PostgreSQL sends and takes them in its binary format.
#pragma once

#include <detent/durable_store.hpp>

#include <libpq-fe.h>

#include <cstring>
#include <utility>

namespace detent::durable::postgres {

// The server's numbers for its types, which never change.
enum class type : Oid { boolean = 16, bytes = 17, int8 = 20, int2 = 21, int4 = 23, text = 25, time = 1184 };

// Returns the server's number for arrays of that type.
Oid array_of(type element) noexcept;

// Returns microseconds since 2000. The least and the greatest value stand for the server's infinities.
std::int64_t time_word(stored_time its) noexcept;
stored_time time_of_word(std::int64_t its) noexcept;

// Returns the same bytes with a question mark in place of each that is not text.
std::string as_text(std::string_view its);

// An array as one parameter, with or without nulls.
class array {
 public:
  explicit array(type element);

  void add(bool its) { add_number(static_cast<std::uint64_t>(its), 1); }
  void add(std::int16_t its) { add_number(static_cast<std::uint16_t>(its), 2); }
  void add(std::uint16_t its) { add_number(its, 2); }
  void add(std::int32_t its) { add_number(static_cast<std::uint32_t>(its), 4); }
  void add(std::uint32_t its) { add_number(its, 4); }
  void add(std::int64_t its) { add_number(static_cast<std::uint64_t>(its), 8); }
  void add(std::uint64_t its) { add_number(its, 8); }
  void add(stored_time its) { add(time_word(its)); }
  void add(std::string_view its);
  void add(std::span<const std::byte> its) {
    add(std::string_view(reinterpret_cast<const char*>(its.data()), its.size()));
  }
  void add_null();

  std::string_view bytes() noexcept;  // valid until the next add()
  std::uint32_t size() const noexcept { return size_; }

 private:
  void add_number(std::uint64_t its, int bytes);

  std::string bytes_;
  std::uint32_t size_ = 0;
};

// The parameters of one statement. The caller keeps those that are arrays until it is sent.
class parameters {
 public:
  void add(array& its) { add_view(its.bytes()); }
  void add(std::int64_t its);
  void add(std::int32_t its);
  void add(stored_time its) { add(time_word(its)); }
  void add(bool its);
  // The caller keeps the text.
  void add_text(std::string_view its) { add_view(its.empty() ? std::string_view("") : its); }
  void add_null() { add_view({nullptr, 0}); }

  int count() const noexcept { return static_cast<int>(values_.size()); }
  const char* const* values() const noexcept { return values_.data(); }
  const int* lengths() const noexcept { return lengths_.data(); }
  const int* formats() const noexcept { return formats_.data(); }

 private:
  void add_view(std::string_view its);
  void add_own(std::uint64_t its, int bytes);

  std::vector<const char*> values_;
  std::vector<int> lengths_, formats_;
  std::vector<std::unique_ptr<std::string>> own_;
};

// The rows of an answer.
class rows {
 public:
  rows() noexcept = default;
  explicit rows(PGresult* its) noexcept : its_(its) {}

  const PGresult* get() const noexcept { return its_.get(); }
  int count() const noexcept { return its_ == nullptr ? 0 : PQntuples(its_.get()); }
  bool is_null(int row, int column) const noexcept { return PQgetisnull(its_.get(), row, column) != 0; }
  // Reads a number of two, four or eight bytes, or a boolean.
  std::int64_t number(int row, int column) const noexcept;
  bool flag(int row, int column) const noexcept { return number(row, column) != 0; }
  stored_time time(int row, int column) const noexcept { return time_of_word(number(row, column)); }
  std::string_view text(int row, int column) const noexcept {
    return {PQgetvalue(its_.get(), row, column), static_cast<std::size_t>(PQgetlength(its_.get(), row, column))};
  }
  std::vector<std::byte> bytes(int row, int column) const;
  // Reads an array of two-byte numbers.
  std::vector<std::int16_t> numbers(int row, int column) const;

 private:
  struct free_result {
    void operator()(PGresult* done) const noexcept { PQclear(done); }
  };
  std::unique_ptr<PGresult, free_result> its_;
};

}  // namespace detent::durable::postgres
