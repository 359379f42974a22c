// SPDX-License-Identifier: MIT
#pragma once
#include "lateness/lateness_log.hpp"
#include "report/svg_plot.hpp"

namespace detent::tool {

// The percentile function of samples, for a plot over fractions: each value holds over the fractions of samples it
// stands for. Ends where one sample is all that is left. Zeros are left out: a logarithmic scale has no room for them.
svg_plot::points staircase(const lateness_log& samples);

}  // namespace detent::tool
