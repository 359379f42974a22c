// SPDX-License-Identifier: MIT
#include "choices.hpp"

#include <charconv>

namespace model {
namespace {

constexpr unsigned deepest = 1'000'000;  // of a schedule that is read: beyond any execution

}  // namespace

unsigned choices::choose(unsigned count) {
  if (depth_ == path_.size()) path_.push_back({0, static_cast<std::uint8_t>(count)});
  decision& here = path_[depth_++];
  if (following_) {
    here.count = static_cast<std::uint8_t>(count);
    if (here.way >= count) {
      strayed_ = true;
      here.way = 0;
    }
  }
  return here.way;
}

bool choices::next() {
  path_.resize(depth_);
  while (!path_.empty() && path_.back().way + 1 == path_.back().count) path_.pop_back();
  if (path_.empty()) return false;
  ++path_.back().way;
  following_ = false;
  return true;
}

void choices::follow(const std::vector<std::uint8_t>& way) {
  path_.clear();
  for (std::uint8_t each : way) path_.push_back({each, UINT8_MAX});
  strayed_ = false;
  following_ = true;
}

std::string choices::text() const {
  std::string text;
  for (std::size_t i = 0; i != depth_; ++i) {
    if (path_[i].way == 0) continue;
    if (!text.empty()) text += ',';
    text += std::to_string(i) + ':' + std::to_string(path_[i].way);
  }
  return text.empty() ? "0" : text;
}

std::optional<std::vector<std::uint8_t>> choices::parse(const std::string& text) {
  std::vector<std::uint8_t> way;
  if (text == "0") return way;
  const char *at = text.data(), *end = at + text.size();
  for (;;) {
    unsigned depth = 0, taken = 0;
    auto [colon, first] = std::from_chars(at, end, depth);
    if (first != std::errc{} || colon == end || *colon != ':') return std::nullopt;
    auto [behind, second] = std::from_chars(colon + 1, end, taken);
    if (second != std::errc{} || taken >= UINT8_MAX || depth < way.size() || depth > deepest) return std::nullopt;
    way.resize(depth, 0);
    way.push_back(static_cast<std::uint8_t>(taken));
    if (behind == end) return way;
    if (*behind != ',') return std::nullopt;
    at = behind + 1;
  }
}

}  // namespace model
