// SPDX-License-Identifier: MIT
// The roll for those who look.
#include "roll.hpp"

#include <algorithm>

namespace detent::durable {

std::vector<node_state> nodes_of(const roll_state& all) {
  std::vector<std::string> entries;
  entries.reserve(all.entries.size());
  for (const roll_entry& each : all.entries) entries.push_back(each.what);
  const detail::roll read = detail::roll::of(entries);
  std::vector<node_state> out;
  for (const roll_entry& each : all.entries) {
    if (std::ranges::find(read.nodes, each.what) == read.nodes.end()) continue;  // it is a note, not a node
    node_state its{.node = each.what, .until = each.until};
    if (const auto said = read.abilities.find(each.what); said != read.abilities.end()) {
      its.has_said = true;
      its.abilities = said->second;
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
