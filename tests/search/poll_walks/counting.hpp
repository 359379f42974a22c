// SPDX-License-Identifier: MIT
#pragma once

#include <detent/metrics.hpp>

#include "spec/counts.hpp"
#include "spec/rules.hpp"

namespace detent::poll_walks {

void compare(const engine_metrics& came, const spec::counts& expected, bool of_label, spec::rules& broke);

}  // namespace detent::poll_walks
