// SPDX-License-Identifier: MIT
// One request of the line protocol: a word and its numbers, as in `pair live=1000 producers=1 milliseconds=200`.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>

namespace peers {

// Thrown if a request of the other side cannot be met. what() is one line that says why.
class bad_request : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class request {
 public:
  // Throws bad_request.
  explicit request(const std::string& line);

  const std::string& work() const { return work_; }
  // Returns a number from 1 to `most`. Throws bad_request if it is missing or anything else.
  std::uint64_t number(const std::string& name, std::uint64_t most) const;
  // Returns at most an hour.
  std::chrono::milliseconds milliseconds(const std::string& name) const;

 private:
  std::string work_;
  std::map<std::string, std::string> values_;
};

}  // namespace peers
