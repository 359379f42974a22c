// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "counters/counters_snapshot.hpp"
#include "text/input_error.hpp"

namespace detent::tool {

enum class path_origin : std::uint8_t {
  named,  // by a user, who may mean a symbolic link
  found   // in a directory or in /proc, where a symbolic link may have been planted; links are refused
};

// How many bytes of memory readings may still take, roughly; each subtracts what it needs. Once the part for labels is
// used up, further labels are left out. The caller must look after the part for engines.
struct reading_budget {
  std::size_t engines = std::numeric_limits<std::size_t>::max();
  std::size_t labels = std::numeric_limits<std::size_t>::max();
};

inline reading_budget at_most(const reading_budget& a, const reading_budget& b) {
  return {.engines = std::min(a.engines, b.engines), .labels = std::min(a.labels, b.labels)};
}

// The budget of all engines on a host together, if none was named. The 1,024 files that are read at most fit into it,
// at some 40 KB each without labels. A single forged file may ask for 180 MB.
inline constexpr reading_budget host_budget{.engines = 64 << 20, .labels = 128 << 20};

// Thrown for a file that this user may not read. It may well belong to an engine.
class secret_file : public input_error {
 public:
  using input_error::input_error;
};

// An engine's counters file (docs/counters.md), open for reading. Nothing in it is believed before it is checked. It is
// copied instead of mapped, so that a file which is cut short under the reader is an error like any other.
class counters_file {
 public:
  // Throws input_error, in one line, unless this is a whole counters file of a known version.
  explicit counters_file(const std::string& path, path_origin origin = path_origin::named);
  counters_file(counters_file&& other) noexcept;
  counters_file& operator=(counters_file&& other) noexcept;
  ~counters_file();

  const std::string& path() const { return path_; }
  // Throws input_error if the file has become something else, or has values that cannot be.
  counters_snapshot read(reading_budget& budget);
  counters_snapshot read();  // without a limit

 private:
  class content;
  engine_lock lock() const;

  std::string path_;
  int descriptor_;
  std::vector<std::uint64_t> buffer_;  // the section being read; kept for the next reading
};

}  // namespace detent::tool
