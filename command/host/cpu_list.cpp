// SPDX-License-Identifier: MIT
#include "host/cpu_list.hpp"

#include <algorithm>

#include "host/host_files.hpp"

namespace detent::tool {

std::optional<std::vector<int>> cpus_in(std::string_view list) {
  constexpr long long most = 1 << 16;  // more than any kernel is built for
  std::vector<int> cpus;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    const std::string_view range = list.substr(0, end);
    const std::size_t dash = range.find('-');
    const auto first = number_in(range.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : number_in(range.substr(dash + 1));
    if (!first || !last || *first < 0 || *last < *first || *last >= most) return std::nullopt;
    for (long long cpu = *first; cpu <= *last; ++cpu) cpus.push_back(static_cast<int>(cpu));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  std::sort(cpus.begin(), cpus.end());
  cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
  return cpus;
}

std::string cpu_list_text(const std::vector<int>& cpus) {
  std::string text;
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t end = i + 1;
    while (end < cpus.size() && cpus[end] == cpus[end - 1] + 1) ++end;
    if (!text.empty()) text += ',';
    text += std::to_string(cpus[i]);
    if (end - i > 1) text += '-' + std::to_string(cpus[end - 1]);
    i = end;
  }
  return text;
}

bool contains(const std::vector<int>& cpus, int cpu) { return std::binary_search(cpus.begin(), cpus.end(), cpu); }

}  // namespace detent::tool
