// SPDX-License-Identifier: MIT
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "page/console_address.hpp"
#include "page/console_view.hpp"

namespace detent::tool {

// One engine at length: its curves, of the long history if there are samples of it, its lateness by cause, the labels
// that the query chooses, what should be none.
std::string engine_detail(const console_engine& engine, const console_view& view, const console_query& query,
                          const std::optional<std::vector<console_sample>>& long_samples);
// What the long history has of an engine that is gone.
std::string past_detail(const past_engine& engine, const console_view& view,
                        const std::vector<console_sample>& samples);
// All of those, folded. Empty: there are none.
std::string past_table(const console_view& view, const console_query& query);

}  // namespace detent::tool
