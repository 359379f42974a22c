// SPDX-License-Identifier: MIT
#include "script_text.hpp"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace detent::sim {

std::optional<std::set<std::uint64_t>> parse_steps(const std::string& text) {
  std::set<std::uint64_t> steps;
  std::istringstream in(text);
  for (;;) {
    std::uint64_t first = 0, last = 0;
    if (!(in >> first)) return std::nullopt;
    last = first;
    int next = in.get();
    if (next == '-') {
      if (!(in >> last) || last < first || last - first > 1'000'000) return std::nullopt;
      next = in.get();
    }
    for (; first <= last; ++first) steps.insert(first);
    if (next == std::istringstream::traits_type::eof()) return steps;
    if (next != ',') return std::nullopt;
  }
}

std::string text_of(const std::set<std::uint64_t>& steps) {
  std::string text;
  for (auto at = steps.begin(); at != steps.end();) {
    const std::uint64_t first = *at;
    std::uint64_t last = first;
    for (++at; at != steps.end() && *at == last + 1; ++at) ++last;
    if (!text.empty()) text += ',';
    text += std::to_string(first);
    if (last != first) text += '-' + std::to_string(last);
  }
  return text;
}

std::string arguments_of(const script& plays) {
  std::string text = "--seed " + std::to_string(plays.seed);
  if (plays.steps != 0) text += " --steps " + std::to_string(plays.steps);
  if (!plays.without.empty()) text += " --without " + text_of(plays.without);
  return text;
}

std::vector<script> read_scripts(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw std::runtime_error(path + ": cannot be read");
  std::vector<script> scripts;
  std::string line;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    std::istringstream words(line.substr(0, line.find('#')));
    script read;
    std::string rest;
    if (!(words >> read.seed)) {
      if (words.str().find_first_not_of(" \t") == std::string::npos) continue;
      throw std::runtime_error(path + ":" + std::to_string(number) + ": a seed is a number");
    }
    if (words >> rest) {
      const auto steps = rest.find_first_not_of("0123456789") == std::string::npos ? std::stoull(rest) : 0;
      if (steps == 0 || words >> rest)
        throw std::runtime_error(path + ":" + std::to_string(number) + ": after the seed comes a number of steps");
      read.steps = steps;
    }
    scripts.push_back(read);
  }
  return scripts;
}

}  // namespace detent::sim
