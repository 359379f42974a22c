// SPDX-License-Identifier: MIT
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace detent::tool {

// The small files under /proc and /sys in which Linux describes itself, below a root of the caller's choice.
class host_files {
 public:
  explicit host_files(std::string root = "") : root_(std::move(root)) {}

  const std::string& root() const { return root_; }
  // The file's text without the space at its end, at most 16 MiB of it; none if it cannot be read. `path` begins with a
  // slash.
  std::optional<std::string> read(std::string_view path) const;
  // The names in the directory that are numbers, such as those of processes in /proc, in order.
  std::vector<long long> numbers_in(std::string_view directory) const;
  // The numbered CPUs that have the file /sys/devices/system/cpu/cpuN/`file`, with its text.
  std::vector<std::pair<int, std::string>> of_each_cpu(std::string_view file) const;

 private:
  std::string root_;
};

std::vector<std::string_view> lines_of(std::string_view text);
std::vector<std::string_view> words_of(std::string_view text);
std::optional<long long> number_in(std::string_view text);  // all of it, sign included
std::optional<double> decimal_in(std::string_view text);

}  // namespace detent::tool
