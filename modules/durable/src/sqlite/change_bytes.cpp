// SPDX-License-Identifier: MIT
#include "change_bytes.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace detent::durable::detail {
namespace {

enum class kind : std::uint8_t { put, cancel };

class writer_of_bytes {
 public:
  explicit writer_of_bytes(std::span<std::byte> to) noexcept : to_(to) {}

  bool fits() const noexcept { return fits_; }
  std::size_t size() const noexcept { return size_; }

  template <class... T>
  void write(const T&... each) noexcept {
    (one(each), ...);
  }

 private:
  template <class T>
  requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) void one(T value) noexcept { bytes(&value, sizeof value); }
  void one(stored_time when) noexcept { one(when.time_since_epoch().count()); }
  void one(const std::string& text) noexcept { sized(text.data(), text.size()); }
  void one(const std::vector<std::byte>& some) noexcept { sized(some.data(), some.size()); }
  void one(const std::optional<std::vector<std::byte>>& some) noexcept {
    one(some.has_value());
    if (some) one(*some);
  }
  void one(const record& its) noexcept {
    write(its.shard, its.key, its.id, its.due, its.attempt, its.handler, its.schedule, its.payload, its.by_rule);
  }
  void sized(const void* from, std::size_t count) noexcept {
    one(static_cast<std::uint32_t>(count));
    bytes(from, count);
  }
  void bytes(const void* from, std::size_t count) noexcept {
    fits_ = fits_ && count <= to_.size() - size_;
    if (!fits_ || count == 0) return;
    std::memcpy(to_.data() + size_, from, count);
    size_ += count;
  }

  const std::span<std::byte> to_;
  std::size_t size_ = 0;
  bool fits_ = true;
};

class reader_of_bytes {
 public:
  explicit reader_of_bytes(std::span<const std::byte> from) noexcept : left_(from) {}

  // Returns whether all bytes that were asked for were there, and none is left.
  bool is_whole() const noexcept { return there_ && left_.empty(); }
  bool is_there() const noexcept { return there_; }

  template <class... T>
  void read(T&... each) {
    (one(each), ...);
  }

 private:
  template <class T>
  requires(std::is_arithmetic_v<T>) void one(T& value) {
    const std::span<const std::byte> found = bytes(sizeof value);
    value = T{};
    if (!found.empty()) std::memcpy(&value, found.data(), found.size());
  }
  // Does not check that the enumeration has this value: read_leavings() checks `how`.
  template <class T>
  requires(std::is_enum_v<T>) void one(T& value) {
    std::underlying_type_t<T> number{};
    one(number);
    value = static_cast<T>(number);
  }
  void one(bool& value) {
    std::uint8_t number = 0;
    one(number);
    value = number != 0;
  }
  void one(stored_time& when) {
    stored_time::rep count = 0;
    one(count);
    when = stored_time(stored_time::duration(count));
  }
  void one(std::string& text) {
    const std::span<const std::byte> found = sized();
    text.assign(reinterpret_cast<const char*>(found.data()), found.size());
  }
  void one(std::vector<std::byte>& some) {
    const std::span<const std::byte> found = sized();
    some.assign(found.begin(), found.end());
  }
  void one(std::optional<std::vector<std::byte>>& some) {
    bool has = false;
    one(has);
    some.reset();
    if (has) one(some.emplace());
  }
  void one(record& its) {
    read(its.shard, its.key, its.id, its.due, its.attempt, its.handler, its.schedule, its.payload, its.by_rule);
  }
  std::span<const std::byte> sized() {
    std::uint32_t count = 0;
    one(count);
    return bytes(count);
  }
  std::span<const std::byte> bytes(std::size_t count) {
    there_ = there_ && count <= left_.size();
    if (!there_) return {};
    const std::span<const std::byte> found = left_.first(count);
    left_ = left_.subspan(count);
    return found;
  }

  std::span<const std::byte> left_;
  bool there_ = true;
};

void write_one(const put_request& one, writer_of_bytes& to) noexcept { to.write(kind::put, one.what, one.mode); }
void write_one(const cancel_request& one, writer_of_bytes& to) noexcept {
  to.write(kind::cancel, one.shard, one.key, one.question);
}

}  // namespace

std::size_t write_leavings(const end_request& end, std::span<const change> asked, std::span<std::byte> room) noexcept {
  writer_of_bytes to(room);
  to.write(end.how, end.due, end.attempt, end.why, end.payload, end.by_rule, static_cast<std::uint32_t>(asked.size()));
  for (const change& each : asked) {
    if (const auto* put = std::get_if<put_request>(&each))
      write_one(*put, to);
    else if (const auto* cancel = std::get_if<cancel_request>(&each))
      write_one(*cancel, to);
    else
      return 0;
  }
  return to.fits() ? to.size() : 0;
}

bool read_leavings(std::span<const std::byte> bytes, run_leavings& out) {
  reader_of_bytes from(bytes);
  out = {};
  std::uint32_t count = 0;
  from.read(out.end.how, out.end.due, out.end.attempt, out.end.why, out.end.payload, out.end.by_rule, count);
  for (std::uint32_t i = 0; i < count && from.is_there(); ++i) {
    kind is{};
    from.read(is);
    if (is == kind::put) {
      put_request one;
      from.read(one.what, one.mode);
      out.asked.emplace_back(std::move(one));
    } else if (is == kind::cancel) {
      cancel_request one;
      from.read(one.shard, one.key, one.question);
      out.asked.emplace_back(std::move(one));
    } else {
      return false;
    }
  }
  return from.is_whole() && out.end.how <= end_kind::kill;
}

}  // namespace detent::durable::detail
