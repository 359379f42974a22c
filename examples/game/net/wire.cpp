// SPDX-License-Identifier: MIT
// For each kind of datagram a write() and a read() of the same fields.
#include "net/wire.hpp"

#include "match/rules.hpp"

#include <concepts>
#include <utility>

namespace game::wire {
namespace {

constexpr std::uint32_t magic = 0x314d4744;  // "DGM1"

class writer {
 public:
  explicit writer(std::vector<std::byte>& out) : out_(out) { out_.clear(); }
  template <std::integral T>
  void number(T value) {
    for (std::size_t i = 0; i < sizeof(T); ++i)
      out_.push_back(static_cast<std::byte>(static_cast<std::uint64_t>(value) >> (8 * i)));
  }

 private:
  std::vector<std::byte>& out_;
};

// Reads zeros after the end, and remembers that it did.
class reader {
 public:
  explicit reader(std::span<const std::byte> bytes) : left_(bytes) {}
  template <std::integral T>
  T number() {
    if (left_.size() < sizeof(T)) {
      refuse();
      return T{};
    }
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i) bits |= std::to_integer<std::uint64_t>(left_[i]) << (8 * i);
    left_ = left_.subspan(sizeof(T));
    return static_cast<T>(bits);
  }
  // The length of a list that follows.
  std::size_t length(std::size_t most) {
    const std::size_t length = number<std::uint8_t>();
    if (length > most) refuse();
    return good_ ? length : 0;
  }
  void refuse() noexcept {
    good_ = false;
    left_ = {};
  }
  bool read_exactly_all() const noexcept { return good_ && left_.empty(); }

 private:
  std::span<const std::byte> left_;
  bool good_ = true;
};

void write(writer&, const hello&) {}
void write(writer& out, const bye& of) { out.number(of.key); }
void write(writer& out, const unknown& of) { out.number(of.key); }
void write(writer& out, const welcome& of) {
  out.number(of.key);
  out.number(of.player);
}
void write(writer& out, const inputs& of) {
  out.number(of.key);
  out.number(of.newest);
  out.number(static_cast<std::uint8_t>(of.last.size()));
  for (const input& one : of.last) {
    out.number(static_cast<std::uint8_t>(one.what));
    out.number(static_cast<std::int8_t>(one.first));
    out.number(static_cast<std::int8_t>(one.second));
  }
}
void write(writer& out, const snapshot& of) {
  out.number(of.frame);
  out.number(static_cast<std::uint8_t>(of.paused));
  out.number(static_cast<std::uint8_t>(of.players.size()));
  for (const snapshot::player_state& one : of.players) {
    out.number(one.number);
    out.number(one.flags);
    out.number(one.health);
    out.number(one.x);
    out.number(one.y);
  }
}

void read(reader&, hello&) {}
void read(reader& in, bye& of) { of.key = in.number<std::uint64_t>(); }
void read(reader& in, unknown& of) { of.key = in.number<std::uint64_t>(); }
void read(reader& in, welcome& of) {
  of.key = in.number<std::uint64_t>();
  of.player = in.number<std::uint8_t>();
  if (of.player >= most_players) in.refuse();
}
void read(reader& in, inputs& of) {
  of.key = in.number<std::uint64_t>();
  of.newest = in.number<std::uint32_t>();
  of.last.resize(in.length(most_inputs));
  for (input& one : of.last) {
    one.what = static_cast<action>(in.number<std::uint8_t>());
    // NOLINTBEGIN(bugprone-signed-char-misuse): numbers, no characters
    one.first = in.number<std::int8_t>();
    one.second = in.number<std::int8_t>();
    // NOLINTEND(bugprone-signed-char-misuse)
    if (!is_of_a_client(one.what) || !is_possible(one)) in.refuse();
  }
  if (of.last.empty() || of.last.size() > of.newest) in.refuse();
}
void read(reader& in, snapshot& of) {
  of.frame = in.number<std::uint32_t>();
  of.paused = in.number<std::uint8_t>() != 0;
  of.players.resize(in.length(most_players));
  for (snapshot::player_state& one : of.players) {
    one.number = in.number<std::uint8_t>();
    one.flags = in.number<std::uint8_t>();
    one.health = in.number<std::uint8_t>();
    one.x = in.number<std::int16_t>();
    one.y = in.number<std::int16_t>();
    if (one.number >= most_players) in.refuse();
  }
}

// The kind of a datagram on the wire is its place in the variant.
template <std::size_t... I>
bool set_kind(datagram& of, std::size_t kind, std::index_sequence<I...>) {
  return ((kind == I && (of.emplace<I>(), true)) || ...);
}

}  // namespace

void encode(const datagram& of, std::vector<std::byte>& out) {
  writer to(out);
  to.number(magic);
  to.number(static_cast<std::uint8_t>(of.index()));
  std::visit([&to](const auto& kind) { write(to, kind); }, of);
}

std::optional<datagram> decode(std::span<const std::byte> bytes) {
  reader from(bytes);
  datagram read_one;
  if (from.number<std::uint32_t>() != magic) return std::nullopt;
  if (!set_kind(read_one, from.number<std::uint8_t>(), std::make_index_sequence<std::variant_size_v<datagram>>{}))
    return std::nullopt;
  std::visit([&from](auto& kind) { read(from, kind); }, read_one);
  if (!from.read_exactly_all()) return std::nullopt;
  return read_one;
}

}  // namespace game::wire
