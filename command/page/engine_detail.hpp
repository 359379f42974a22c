// SPDX-License-Identifier: MIT
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "page/console_address.hpp"
#include "page/console_view.hpp"

namespace detent::tool {

// Shows one engine in full: its curves, from the long history if that has samples; its lateness by cause; the labels
// that the query chooses; and the counts that should be zero.
std::string engine_detail(const console_engine& engine, const console_view& view, const console_query& query,
                          const std::optional<std::vector<console_sample>>& long_samples);
// Shows the long history of an engine that is gone.
std::string past_detail(const past_engine& engine, const console_view& view,
                        const std::vector<console_sample>& samples);
// Lists all of these engines, folded. Empty if there are none.
std::string past_table(const console_view& view, const console_query& query);

}  // namespace detent::tool
