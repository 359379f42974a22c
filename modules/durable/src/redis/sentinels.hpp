// SPDX-License-Identifier: MIT
// The Sentinels that know which server is the master. One thread.
#pragma once

#include "link.hpp"

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace detent::durable::redis {

// Where a store's servers are found: at these addresses; or, if a master is named, where the Sentinels at these
// addresses say.
struct whereabouts {
  std::vector<address> known;
  std::string master = {};
  credentials of_sentinels = {};
};

class sentinels {
 public:
  // Sentinels are reached as the servers are, except for user and password. `where` names a master.
  sentinels(const whereabouts& where, access how);

  // Asks one Sentinel after the other, beginning with the one that answered last.
  trouble ask(address& master);

  // Returns whether a Sentinel names another master than it did at the last ask(). It asks twice a second and does not
  // wait for the answer, but takes it the next time. Without it, a server that was cut off and replaced could go on
  // answering this node, because such a server does not know.
  bool has_moved();

 private:
  static constexpr std::chrono::milliseconds between{500};

  void append_question(link& to) const;
  trouble read_answer(link& from, address& master) const;

  const std::string master_;
  std::vector<std::unique_ptr<link>> all_;
  std::size_t last_ = 0;  // the one that answered last
  address told_;
  bool is_asked_ = false;
  std::chrono::steady_clock::time_point asked_at_{};
};

}  // namespace detent::durable::redis
