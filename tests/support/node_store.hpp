// SPDX-License-Identifier: MIT
// Nodes without an engine, for tests of what inserts them.
#pragma once

#include <detent/base/compiler.hpp>

#include "timer/filing.hpp"
#include "timer/node.hpp"

#include <cstddef>
#include <memory>
#include <vector>

namespace detent::test {

class node_store {
 public:
  // The nodes as a wheel accesses them.
  struct view {
    detail::node* nodes;
    detail::node& operator[](detail::node_index index) const noexcept { return nodes[index]; }
    detail::filing filing_of(detail::node_index, const detail::node& of) const noexcept {
      return {detail::deadline_of(of.pair), true};
    }
    void prefetch(detail::node_index index, const detail::node&) const noexcept {
      base::prefetch_to_write(&nodes[index]);
    }
  };

  explicit node_store(std::size_t size) : nodes_(std::make_unique<detail::node[]>(size)) {
    for (std::size_t i = size; i != 0; --i) free_.push_back(static_cast<detail::node_index>(i - 1));
  }
  detail::node& operator[](detail::node_index index) noexcept { return nodes_[index]; }
  view nodes() noexcept { return {nodes_.get()}; }
  bool full() const noexcept { return free_.empty(); }

  detail::node_index take(detail::nanoseconds_t deadline) {
    detail::node_index index = free_.back();
    free_.pop_back();
    set_deadline(index, deadline);
    nodes_[index].location = detail::nowhere;
    return index;
  }
  void give_back(detail::node_index index) { free_.push_back(index); }
  // Sets the deadline as a restart does, without telling the wheel.
  void set_deadline(detail::node_index index, detail::nanoseconds_t deadline) noexcept {
    nodes_[index].pair.high.store(static_cast<std::uint64_t>(deadline), base::relaxed);
  }
  detail::nanoseconds_t deadline(detail::node_index index) const noexcept {
    return detail::deadline_of(nodes_[index].pair);
  }

 private:
  std::unique_ptr<detail::node[]> nodes_;
  std::vector<detail::node_index> free_;
};

}  // namespace detent::test
