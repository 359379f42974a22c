// SPDX-License-Identifier: MIT
#include "request.hpp"

#include <charconv>
#include <sstream>

namespace peers {

request::request(const std::string& line) {
  std::istringstream words(line);
  if (!(words >> work_)) throw bad_request("an empty request");
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) throw bad_request("'" + word + "' is not of the form name=number");
    values_[word.substr(0, equals)] = word.substr(equals + 1);
  }
}

std::uint64_t request::number(const std::string& name, std::uint64_t most) const {
  const auto found = values_.find(name);
  if (found == values_.end()) throw bad_request(work_ + " needs " + name + "=");
  const std::string& text = found->second;
  std::uint64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc{} || end != text.data() + text.size() || value == 0 || value > most) {
    throw bad_request(name + "=" + text + " is not a number from 1 to " + std::to_string(most));
  }
  return value;
}

std::chrono::milliseconds request::milliseconds(const std::string& name) const {
  return std::chrono::milliseconds(number(name, 3'600'000));
}

}  // namespace peers
