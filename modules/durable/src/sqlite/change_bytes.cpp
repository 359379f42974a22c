// SPDX-License-Identifier: MIT
#include "change_bytes.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace detent::durable::detail {
namespace {

template <class T, class... Others>
constexpr bool is_any_of = (std::is_same_v<T, Others> || ...);

// Reads values from bytes if these are const, and otherwise writes them there. After the first value that is not there
// or does not fit, nothing is written, and zeros are read.
template <class Byte>
class byte_stream {
 public:
  explicit byte_stream(std::span<Byte> some) noexcept : left_(some) {}

  bool ok() const noexcept { return ok_; }
  std::size_t left() const noexcept { return left_.size(); }

  template <class... T>
  void pass(T&... each) {
    (one(each), ...);
  }

 private:
  static constexpr bool reads = std::is_const_v<Byte>;

  template <class T>
  void one(T& value) {
    using type = std::remove_const_t<T>;
    if constexpr (is_any_of<type, bool>) {
      std::uint8_t number = value ? 1 : 0;
      one(number);
      if constexpr (reads) value = number != 0;
    } else if constexpr (std::is_arithmetic_v<type> || std::is_enum_v<type>) {
      if constexpr (reads) value = type{};
      raw(&value, sizeof value);
    } else if constexpr (is_any_of<type, stored_time>) {
      auto count = value.time_since_epoch().count();
      one(count);
      if constexpr (reads) value = stored_time(stored_time::duration(count));
    } else if constexpr (is_any_of<type, record>) {
      pass(value.shard, value.key, value.id, value.due, value.attempt, value.handler, value.schedule, value.payload,
           value.by_rule);
    } else if constexpr (is_any_of<type, std::string, std::vector<std::byte>>) {
      auto size = static_cast<std::uint32_t>(value.size());
      one(size);
      ok_ = ok_ && size <= left_.size();
      if constexpr (reads) value.resize(ok_ ? size : 0);
      raw(value.data(), value.size());
    } else {  // optional
      bool has = value.has_value();
      one(has);
      if constexpr (reads) value.reset();
      if constexpr (reads)
        if (has) value.emplace();
      if (value) one(*value);
    }
  }
  template <class Value>
  void raw(Value* value, std::size_t count) noexcept {
    ok_ = ok_ && count <= left_.size();
    if (!ok_ || count == 0) return;
    if constexpr (reads)
      std::memcpy(value, left_.data(), count);
    else
      std::memcpy(left_.data(), value, count);
    left_ = left_.subspan(count);
  }

  std::span<Byte> left_;
  bool ok_ = true;
};

}  // namespace

std::size_t write_leavings(const end_request& end, std::span<const change> asked, std::span<std::byte> room) noexcept {
  byte_stream to(room);
  const auto count = static_cast<std::uint32_t>(asked.size());
  to.pass(end.how, end.due, end.attempt, end.why, end.payload, end.by_rule, count);
  for (const change& each : asked) {
    const auto kind = static_cast<std::uint8_t>(each.index());
    to.pass(kind);
    if (const auto* put = std::get_if<put_request>(&each))
      to.pass(put->what, put->mode);
    else if (const auto* cancel = std::get_if<cancel_request>(&each))
      to.pass(cancel->shard, cancel->key, cancel->question);
    else
      return 0;
  }
  return to.ok() ? room.size() - to.left() : 0;
}

bool read_leavings(std::span<const std::byte> bytes, run_leavings& out) {
  byte_stream from(bytes);
  out = {};
  std::uint32_t count = 0;
  from.pass(out.end.how, out.end.due, out.end.attempt, out.end.why, out.end.payload, out.end.by_rule, count);
  for (std::uint32_t i = 0; i < count && from.ok(); ++i) {
    std::uint8_t kind = 0;
    from.pass(kind);
    if (kind > 1) return false;
    change& one = out.asked.emplace_back();
    if (kind == 1) one = cancel_request{};
    if (auto* put = std::get_if<put_request>(&one))
      from.pass(put->what, put->mode);
    else if (auto* cancel = std::get_if<cancel_request>(&one))
      from.pass(cancel->shard, cancel->key, cancel->question);
  }
  return from.ok() && from.left() == 0 && out.end.how <= end_kind::kill;
}

}  // namespace detent::durable::detail
