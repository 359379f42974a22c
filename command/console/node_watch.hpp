// SPDX-License-Identifier: MIT
#pragma once
#include <detent/durable_store.hpp>

#include <functional>
#include <map>
#include <string>

#include "page/console_view.hpp"

namespace detent::tool {

// Follows the nodes of a store from one look at its roll to the next. The roll says until when each node counts as
// alive; if that time has changed, the node has given a sign of life. A node that is gone is remembered for five
// minutes.
class node_watch {
 public:
  // `now` is this host's time. Fills in `nodes`, and `unrun` for the timers in `into.next`.
  void take(const durable::roll_state& roll, console_time now, console_store& into);

 private:
  struct known {
    durable::stored_time until{};
    console_node shown = {};
  };

  std::map<std::string, known, std::less<>> nodes_;
};

}  // namespace detent::tool
