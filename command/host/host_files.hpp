// SPDX-License-Identifier: MIT
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace detent::tool {

// The small files under /proc and /sys in which Linux describes itself, below a root that the caller chooses.
class host_files {
 public:
  explicit host_files(std::string root = "") : root_(std::move(root)) {}

  const std::string& root() const { return root_; }
  // Returns the file's text without trailing space, at most 16 MiB of it, or nothing if it cannot be read. `path`
  // begins with a slash.
  std::optional<std::string> read(std::string_view path) const;
  // Returns in ascending order the names in the directory that are numbers, such as those of processes in /proc.
  std::vector<long long> numbers_in(std::string_view directory) const;
  // Returns the numbers of the CPUs that have a file /sys/devices/system/cpu/cpuN/`file`, with its text.
  std::vector<std::pair<int, std::string>> of_each_cpu(std::string_view file) const;

 private:
  std::string root_;
};

std::vector<std::string_view> lines_of(std::string_view text);
std::vector<std::string_view> words_of(std::string_view text);
std::optional<long long> number_in(std::string_view text);  // the whole text, including a sign
std::optional<double> decimal_in(std::string_view text);

}  // namespace detent::tool
