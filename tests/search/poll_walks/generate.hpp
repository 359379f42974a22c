// SPDX-License-Identifier: MIT
// Programs of walks from seeds. A seed draws the weights of the operations as well, so that some walks are all
// restarts, some all bulk, some clumps of equal deadlines.
#pragma once

#include "search/poll_walks/program.hpp"

namespace detent::poll_walks {

// Features that no walk has, to search beside a fault that is known.
struct avoided {
  bool executors = false;
  bool wake_fd = false;
  bool end_of_time = false;  // a clock near its end
};

program generate(std::uint64_t seed, const avoided& without = {});

}  // namespace detent::poll_walks
