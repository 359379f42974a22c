// SPDX-License-Identifier: MIT
#include "host/host_files.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
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

std::optional<double> decimal_in(std::string_view text) {
  double value = 0;
  const auto [stopped, trouble] =
      std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (trouble != std::errc() || stopped != text.data() + text.size() || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

std::optional<std::string> host_files::read(std::string_view path) const {
  constexpr std::size_t most = std::size_t{16} << 20;
  // A pipe among the files of a copy must not block the reader.
  const int file = ::open((root_ + std::string(path)).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return std::nullopt;
  std::string text;
  std::array<char, 4096> part;
  ssize_t got = 0;
  while (text.size() < most && (got = ::read(file, part.data(), part.size())) > 0) {
    text.append(part.data(), static_cast<std::size_t>(got));
  }
  ::close(file);
  if (got < 0) return std::nullopt;
  text.resize(text.find_last_not_of(" \t\n") + 1);
  return text;
}

std::vector<long long> host_files::numbers_in(std::string_view directory) const {
  std::vector<long long> out;
  std::error_code trouble;
  std::filesystem::directory_iterator entries(root_ + std::string(directory), trouble);
  for (; !trouble && entries != std::filesystem::directory_iterator(); entries.increment(trouble)) {
    if (const auto number = number_in(entries->path().filename().string())) out.push_back(*number);
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<std::pair<int, std::string>> host_files::of_each_cpu(std::string_view file) const {
  std::vector<std::pair<int, std::string>> out;
  std::error_code trouble;
  std::filesystem::directory_iterator entries(root_ + "/sys/devices/system/cpu", trouble);
  for (; !trouble && entries != std::filesystem::directory_iterator(); entries.increment(trouble)) {
    const std::string name = entries->path().filename().string();
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
