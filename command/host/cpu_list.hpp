// SPDX-License-Identifier: MIT
// Sets of CPUs as the kernel writes them: "0-3,8".
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace detent::tool {

// In ascending order; empty for an empty text; none for anything else.
std::optional<std::vector<int>> cpus_in(std::string_view list);
std::string cpu_list_text(const std::vector<int>& cpus);  // which ascend

bool contains(const std::vector<int>& cpus, int cpu);

}  // namespace detent::tool
