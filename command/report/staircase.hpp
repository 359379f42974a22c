// SPDX-License-Identifier: MIT
#pragma once
#include "lateness/lateness_log.hpp"
#include "report/svg_plot.hpp"

namespace detent::tool {

// Returns the percentile function of samples, for a plot over fractions: each value covers the fraction of samples that
// have it. The function ends where only one sample is left. Zeros are left out, because a logarithmic scale has no room
// for them.
svg_plot::points staircase(const lateness_log& samples);

}  // namespace detent::tool
