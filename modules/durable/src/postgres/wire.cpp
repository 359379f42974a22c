// SPDX-License-Identifier: MIT
#include "wire.hpp"

#include "../stores/text.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace detent::durable::postgres {
namespace {

constexpr std::int64_t since_1970 = 946'684'800'000'000;  // microseconds from 1970 to 2000
// The server has years as early as this one.
constexpr stored_time first_time{std::chrono::sys_days(std::chrono::year(-4000) / 1 / 1)};
constexpr stored_time last_time{std::chrono::sys_days(std::chrono::year(30'000) / 1 / 1)};
constexpr std::int64_t before_all = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t after_all = std::numeric_limits<std::int64_t>::max();

void append(std::string& to, std::uint64_t its, int bytes) {
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) to += static_cast<char>(its >> shift & 0xff);
}

std::uint64_t read(const char* from, int bytes) noexcept {
  std::uint64_t out = 0;
  for (int i = 0; i != bytes; ++i) out = out << 8 | static_cast<unsigned char>(from[i]);
  return out;
}

}  // namespace

Oid array_of(type element) noexcept {
  switch (element) {
    case type::boolean: return 1000;
    case type::bytes: return 1001;
    case type::int2: return 1005;
    case type::int4: return 1007;
    case type::text: return 1009;
    case type::int8: return 1016;
    case type::time: return 1185;
  }
  return 0;
}

std::int64_t time_word(stored_time its) noexcept {
  if (its < first_time) return before_all;
  if (its > last_time) return after_all;
  return its.time_since_epoch().count() - since_1970;
}

stored_time time_of_word(std::int64_t its) noexcept {
  if (its == before_all) return stored_time::min();
  if (its > after_all - since_1970) return stored_time::max();
  return stored_time(std::chrono::microseconds(its + since_1970));
}

std::string as_text(std::string_view its) {
  std::string out;
  while (!its.empty()) {
    const std::size_t length = detail::length_of_character(its);
    if (length == 0)
      out += '?';
    else
      out += its.substr(0, length);
    its.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

array::array(type element) {
  append(bytes_, 1, 4);  // one dimension
  append(bytes_, 0, 4);
  append(bytes_, static_cast<Oid>(element), 4);
  append(bytes_, 0, 4);  // replaced by the size in bytes()
  append(bytes_, 1, 4);  // the index of its first element
}

void array::add_number(std::uint64_t its, int bytes) {
  append(bytes_, static_cast<std::uint64_t>(bytes), 4);
  append(bytes_, its, bytes);
  ++size_;
}

void array::add(std::string_view its) {
  append(bytes_, its.size(), 4);
  bytes_ += its;
  ++size_;
}

void array::add_null() {
  append(bytes_, 0xffff'ffff, 4);
  bytes_[7] = 1;  // it has nulls
  ++size_;
}

std::string_view array::bytes() noexcept {
  for (unsigned i = 0; i != 4; ++i) bytes_[12 + i] = static_cast<char>(size_ >> (24 - 8 * i) & 0xff);
  return bytes_;
}

void parameters::add_view(std::string_view its) {
  values_.push_back(its.data());
  lengths_.push_back(static_cast<int>(its.size()));
  formats_.push_back(1);
}

void parameters::add_own(std::uint64_t its, int bytes) {
  own_.push_back(std::make_unique<std::string>());
  append(*own_.back(), its, bytes);
  add_view(*own_.back());
}

void parameters::add(std::int64_t its) { add_own(static_cast<std::uint64_t>(its), 8); }
void parameters::add(std::int32_t its) { add_own(static_cast<std::uint32_t>(its), 4); }
void parameters::add(bool its) { add_own(static_cast<std::uint64_t>(its), 1); }

std::int64_t rows::number(int row, int column) const noexcept {
  const char* const at = PQgetvalue(its_.get(), row, column);
  switch (PQgetlength(its_.get(), row, column)) {
    case 1: return at[0];
    case 2: return static_cast<std::int16_t>(read(at, 2));
    case 4: return static_cast<std::int32_t>(read(at, 4));
    case 8: return static_cast<std::int64_t>(read(at, 8));
    default: return 0;
  }
}

std::vector<std::byte> rows::bytes(int row, int column) const {
  const auto its = std::as_bytes(std::span(text(row, column)));
  return {its.begin(), its.end()};
}

std::vector<std::int16_t> rows::numbers(int row, int column) const {
  const std::string_view its = text(row, column);
  constexpr std::size_t head = 20, each = 6;
  std::vector<std::int16_t> out;
  for (std::size_t at = head; at + each <= its.size(); at += each)
    out.push_back(static_cast<std::int16_t>(read(its.data() + at + 4, 2)));
  return out;
}

}  // namespace detent::durable::postgres
