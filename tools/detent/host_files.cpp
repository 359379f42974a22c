// SPDX-License-Identifier: MIT
#include "host_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace detent::tool {
namespace {

std::vector<std::string_view> pieces(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(separators), text.size());
    if (end != 0) out.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

}  // namespace

std::vector<std::string_view> lines_of(std::string_view text) { return pieces(text, "\n"); }
std::vector<std::string_view> words_of(std::string_view text) { return pieces(text, " \t\n"); }

std::optional<long long> number_in(std::string_view text) {
  long long value = 0;
  const auto [stopped, trouble] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (trouble != std::errc() || stopped != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::string> host_files::read(std::string_view path) const {
  constexpr std::size_t most = std::size_t{1} << 20;
  std::ifstream file(root_ + std::string(path), std::ios::binary);
  if (!file) return std::nullopt;
  std::string text(most, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad() || (file.gcount() == 0 && !file.eof())) return std::nullopt;
  text.resize(static_cast<std::size_t>(file.gcount()));
  text.resize(text.find_last_not_of(" \t\n") + 1);
  return text;
}

std::vector<std::pair<int, std::string>> host_files::of_each_cpu(std::string_view file) const {
  std::vector<std::pair<int, std::string>> out;
  std::error_code trouble;
  for (const auto& entry : std::filesystem::directory_iterator(root_ + "/sys/devices/system/cpu", trouble)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("cpu")) continue;
    const auto number = number_in(std::string_view(name).substr(3));
    if (!number) continue;
    if (auto text = read(fmt::format("/sys/devices/system/cpu/{}/{}", name, file))) {
      out.emplace_back(static_cast<int>(*number), std::move(*text));
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace detent::tool
