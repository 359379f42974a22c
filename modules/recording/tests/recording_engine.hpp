// SPDX-License-Identifier: MIT
// An engine in virtual time that records, and what it has recorded.
#pragma once

#include <detent/detent.hpp>

#include <gtest/gtest.h>

#include <optional>
#include <utility>

#include "support/drive_virtual.hpp"
#include "support/recorded_trace.hpp"

namespace detent::testing {

class EngineRecord : public ::testing::Test {
 protected:
  // Virtual time begins at 1000, and the trace counts from there.
  drive::virtual_engine& start(engine_options options = {}) {
    options.record = place_.path();
    return rig_.emplace(std::move(options), drive::at(1000));
  }
  recorded_trace stop() {
    rig_->engine.stop();
    return recorded_trace::of_file(place_.path());
  }

  recording_place place_;
  std::optional<drive::virtual_engine> rig_;
};

inline void nothing() {}

}  // namespace detent::testing
