// SPDX-License-Identifier: MIT
#include "roll.hpp"

#include <algorithm>

namespace detent::durable {
namespace detail {
namespace {

constexpr std::string_view node_mark("\0n", 2), loans_mark("\0l", 2);

ability hash_of(char kind, std::string_view name) noexcept {
  std::uint64_t hash = (0xcbf29ce484222325u ^ static_cast<unsigned char>(kind)) * 0x100000001b3u;
  for (const char byte : name) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3u;
  return static_cast<ability>(hash ^ hash >> 32);
}

void append_number(std::uint64_t number, std::size_t bytes, std::string& out) {
  for (std::size_t at = bytes; at-- > 0;) out += static_cast<char>(number >> (8 * at));
}

// Takes numbers and texts off the front of a note.
class note_reader {
 public:
  explicit note_reader(std::string_view rest) noexcept : rest_(rest) {}

  bool ended() const noexcept { return rest_.empty(); }
  std::optional<std::uint64_t> number(std::size_t bytes) noexcept {
    if (rest_.size() < bytes) return {};
    std::uint64_t out = 0;
    for (const char byte : rest_.substr(0, bytes)) out = out << 8 | static_cast<unsigned char>(byte);
    rest_.remove_prefix(bytes);
    return out;
  }
  std::optional<std::string_view> text() noexcept {
    const auto size = number(1);
    if (!size || rest_.size() < *size) return {};
    const std::string_view out = rest_.substr(0, *size);
    rest_.remove_prefix(*size);
    return out;
  }

 private:
  std::string_view rest_;
};

std::string begin_note(std::string_view mark, std::string_view node) {
  std::string out(mark);
  append_number(node.size(), 1, out);
  out += node;
  return out;
}

void read_node(note_reader from, roll& into) {
  const auto node = from.text();
  const auto keep_for = from.number(8), most = from.number(8);
  if (!node || !keep_for || !most) return;
  node_note& its = into.notes[std::string(*node)];
  its.keeps = {std::chrono::microseconds(static_cast<std::int64_t>(*keep_for)), *most};
  // A note from before the last declare() may be there as well.
  while (const auto one = from.number(sizeof(ability))) its.has.push_back(static_cast<ability>(*one));
}

void read_loans(note_reader from, roll& into) {
  const auto to = from.text();
  if (!to) return;
  while (!from.ended()) {
    const auto shard = from.number(sizeof(shard_id));
    const auto fence = from.number(sizeof(std::uint64_t));
    if (!shard || !fence) return;
    roll::lent_shard& its = into.lent[static_cast<shard_id>(*shard)];
    if (*fence > its.fence) its = {*fence, std::string(*to)};
  }
}

}  // namespace

ability ability_of_handler(std::string_view name) noexcept { return hash_of('h', name); }
ability ability_of_schedule(std::string_view name) noexcept { return hash_of('s', name); }

std::string note_of_node(std::string_view node, const node_note& its) {
  std::string out = begin_note(node_mark, node);
  append_number(static_cast<std::uint64_t>(its.keeps.keep_for.count()), 8, out);
  append_number(its.keeps.most, 8, out);
  for (const ability one : its.has) append_number(one, sizeof(ability), out);
  return out;
}

std::string note_of_loans(std::string_view to, std::span<const term_ref> what) {
  std::string out = begin_note(loans_mark, to);
  for (const term_ref& one : what) {
    append_number(one.shard, sizeof(shard_id), out);
    append_number(one.fence, sizeof(std::uint64_t), out);
  }
  return out;
}

roll roll::of(const std::vector<std::string>& entries) {
  roll out;
  for (const std::string& entry : entries) {
    const std::string_view text = entry;
    if (!text.starts_with('\0'))
      out.nodes.push_back(entry);
    else if (text.starts_with(node_mark))
      read_node(note_reader(text.substr(node_mark.size())), out);
    else if (text.starts_with(loans_mark))
      read_loans(note_reader(text.substr(loans_mark.size())), out);
  }
  return out;
}

std::uint64_t attraction(std::string_view node, shard_id shard) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325u ^ shard;
  for (const char byte : node) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3u;
  hash ^= hash >> 32;
  hash *= 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 29;
}

bool roll::has(std::string_view node, std::span<const ability> all) const noexcept {
  const auto its = notes.find(node);
  if (its == notes.end() || std::ranges::find(nodes, node) == nodes.end()) return false;
  const std::vector<ability>& has = its->second.has;
  return std::ranges::all_of(all, [&](ability one) { return std::ranges::find(has, one) != has.end(); });
}

}  // namespace detail

std::vector<node_state> nodes_of(const roll_state& all) {
  std::vector<std::string> entries;
  entries.reserve(all.entries.size());
  for (const roll_entry& each : all.entries) entries.push_back(each.what);
  const detail::roll read = detail::roll::of(entries);
  std::vector<node_state> out;
  for (const roll_entry& each : all.entries) {
    if (std::ranges::find(read.nodes, each.what) == read.nodes.end()) continue;  // it is a note, not a node
    node_state its{.node = each.what, .until = each.until};
    if (const auto said = read.notes.find(each.what); said != read.notes.end()) {
      its.has_said = true;
      its.abilities = said->second.has;
    }
    out.push_back(std::move(its));
  }
  std::ranges::sort(out, {}, &node_state::node);
  return out;
}

bool runs(const node_state& node, std::string_view handler) noexcept {
  return std::ranges::find(node.abilities, detail::ability_of_handler(handler)) != node.abilities.end();
}

errc store::look_at_roll(roll_state& out) {
  out = {};
  return errc::unsupported;
}

}  // namespace detent::durable
