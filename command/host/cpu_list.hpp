// SPDX-License-Identifier: MIT
// Sets of CPUs as the kernel writes them: "0-3,8".
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace detent::tool {

// Returns the CPUs in ascending order. Empty for an empty text, and nothing for a text that is no list.
std::optional<std::vector<int>> cpus_in(std::string_view list);
std::string cpu_list_text(const std::vector<int>& cpus);  // in ascending order

bool contains(const std::vector<int>& cpus, int cpu);

}  // namespace detent::tool
