// SPDX-License-Identifier: MIT
#include "page/console_address.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "page/console_html.hpp"
#include "text/html_text.hpp"

namespace detent::tool {
namespace {

constexpr std::size_t most_parts = 64;  // shown in full, because an address has no room for more

using parameters = std::vector<std::pair<std::string_view, std::string>>;

parameters parameters_of(const console_query& query) {
  parameters out;
  const auto add = [&out](std::string_view name, const std::string& value) {
    if (!value.empty()) out.emplace_back(name, value);
  };
  std::string all;
  for (const std::string& each : query.all) all += (all.empty() ? "" : ",") + each;
  add("engine", query.engine);
  add("find", query.find.value_or(""));
  add("key", query.key.value_or(""));
  if (query.key) add("partition", query.partition);
  add("sort", query.engines.sort);
  add("filter", query.engines.filter);
  add("label-sort", query.labels.sort);
  add("label-filter", query.labels.filter);
  add("all", all);
  if (query.is_long) out.emplace_back("span", "long");
  if (query.reload) out.emplace_back("reload", "1");
  return out;
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

console_query page_query_of(const std::map<std::string, std::string>& parameters) {
  const auto value = [&](const char* name) {
    const auto found = parameters.find(name);
    return found == parameters.end() ? std::string() : found->second;
  };
  console_query out{.engine = value("engine"), .reload = value("reload") == "1", .partition = value("partition")};
  if (!value("find").empty()) out.find = value("find");
  if (!value("key").empty()) out.key = value("key");
  out.engines = {value("sort"), value("filter")};
  out.labels = {value("label-sort"), value("label-filter")};
  out.is_long = value("span") == "long";
  const std::string all = value("all");
  for (std::size_t at = 0; at < all.size() && out.all.size() < most_parts;) {
    const std::size_t end = std::min(all.find(',', at), all.size());
    if (end != at) out.all.insert(all.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

std::string address_of(const console_query& query, std::string_view fragment) {
  std::string out;
  for (const auto& [name, value] : parameters_of(query))
    out += fmt::format("{}{}={}", out.empty() ? "" : "&amp;", name, url_escaped(value));
  return fmt::format("?{}{}{}", out, fragment.empty() ? "" : "#", fragment);
}

std::string fields_of(const console_query& query, std::string_view but) {
  std::string out;
  for (const auto& [name, value] : parameters_of(query)) {
    if (name != but)
      out += fmt::format("<input type=\"hidden\" name=\"{}\" value=\"{}\">\n", name, html_escaped(value));
  }
  return out;
}

row_choice sorted_by(const row_choice& now, std::string_view column) {
  return {.sort = (direction_of(now, column) > 0 ? "-" : "") + std::string(column), .filter = now.filter};
}

int direction_of(const row_choice& now, std::string_view column) {
  if (now.sort == column) return 1;
  return now.sort.size() == column.size() + 1 && now.sort.starts_with('-') && now.sort.ends_with(column) ? -1 : 0;
}

bool passes(const row_choice& now, std::initializer_list<std::string_view> texts) {
  return std::ranges::any_of(texts, [&](std::string_view text) {
    return std::search(text.begin(), text.end(), now.filter.begin(), now.filter.end(),
                       [](char a, char b) { return lower(a) == lower(b); }) != text.end() ||
           now.filter.empty();
  });
}

}  // namespace detent::tool
