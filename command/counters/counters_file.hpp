// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "counters/counters_snapshot.hpp"

namespace detent::tool {

// A counters file of an engine (docs/counters.md), open for reading. Nothing in it is believed before it is checked;
// it is copied, not mapped, so that a file cut short under the reader is an error like any other.
class counters_file {
 public:
  // Throws input_error, one line, unless this is a whole counters file of a version that is known.
  explicit counters_file(const std::string& path);
  counters_file(counters_file&& other) noexcept;
  counters_file& operator=(counters_file&& other) noexcept;
  ~counters_file();

  const std::string& path() const { return path_; }
  // Throws input_error when the file has become anything else, or what is in it cannot be.
  counters_snapshot read();

 private:
  class content;

  std::string path_;
  int descriptor_;
  std::vector<std::uint64_t> buffer_;  // of the section being read; kept from one reading to the next
};

}  // namespace detent::tool
