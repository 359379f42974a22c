// SPDX-License-Identifier: MIT
// Timers that came due together, for a test to give to an executor as a batch.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "support/drive_virtual.hpp"
#include "support/engine_executors.hpp"

namespace detent::testing {

class fired_timers {
 public:
  // Makes that many timers in `work`, with callback(i) for number i.
  template <class Callback>
  fired_timers(int count, Callback callback) {
    for (int i = 0; i < count; ++i) rig.engine.schedule_at(drive::at(1), [callback, i] { callback(i); });
    rig.poll_at(drive::at(1));
    for (fired_timer& each : held->held) work.push_back(std::move(each));
  }

  std::shared_ptr<holding_executor> held = std::make_shared<holding_executor>();
  drive::virtual_engine rig{{.executor = held}};
  std::vector<fired_timer> work;
};

}  // namespace detent::testing
