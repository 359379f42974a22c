// SPDX-License-Identifier: MIT
#include "console/node_watch.hpp"

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>
#include <vector>

namespace detent::tool {

using namespace durable;

namespace {

constexpr auto remembered = std::chrono::minutes(5);
constexpr std::size_t most_remembered = 256;  // nodes that are gone; nodes may have a new name at each start

std::vector<std::string> unrun_handlers(const std::vector<node_state>& nodes, const console_store& of) {
  std::set<std::string> without;
  const bool all_said = std::ranges::all_of(nodes, &node_state::has_said);
  if (!all_said || nodes.empty()) return {};
  for (const console_timer& each : of.next) {
    if (std::ranges::none_of(nodes, [&](const node_state& node) { return runs(node, each.handler); }))
      without.insert(each.handler);
  }
  return {without.begin(), without.end()};
}

}  // namespace

void node_watch::take(const roll_state& roll, console_time now, console_store& into) {
  std::vector<node_state> there = nodes_of(roll);
  std::erase_if(there, [&](const node_state& node) { return node.until <= roll.now; });
  for (const node_state& node : there) {
    known& its = nodes_[node.node];
    if (its.until != node.until || its.shown.is != console_node::state::there) its.shown.seen = now;
    its.until = node.until;
    its.shown.name = node.node;
    its.shown.is = console_node::state::there;
  }
  for (auto& [name, its] : nodes_) {
    const bool is_there = std::ranges::find(there, name, &node_state::node) != there.end();
    if (is_there || its.shown.is != console_node::state::there) continue;
    // A node that leaves removes its own entry. If it does not, its time runs out.
    its.shown.is = its.until > roll.now ? console_node::state::left : console_node::state::lost;
  }
  const auto is_old = [&](const auto& each) {
    const console_node& its = each.second.shown;
    return its.is != console_node::state::there && (now - its.seen > remembered || nodes_.size() > most_remembered);
  };
  std::erase_if(nodes_, is_old);
  into.nodes.clear();
  for (const auto& [name, its] : nodes_) into.nodes.push_back(its.shown);
  into.unrun = unrun_handlers(there, into);
}

}  // namespace detent::tool
