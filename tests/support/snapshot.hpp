// SPDX-License-Identifier: MIT
// Texts that a test keeps in a file: tests/README.md says how to update them.
#pragma once
#include <string>
#include <string_view>

namespace detent::test {

// A text that a test produces in sections, and the file that keeps it. If they differ when the object ends, the test
// fails with a unified diff. With DETENT_UPDATE_SNAPSHOTS in the environment, the file is written instead.
class snapshot {
 public:
  // `file` is the path from the root of the sources.
  explicit snapshot(std::string_view file) : file_(file) {}
  snapshot(const snapshot&) = delete;
  snapshot& operator=(const snapshot&) = delete;
  ~snapshot();

  void add(std::string_view title, std::string_view text);

 private:
  std::string file_, text_;
};

// Returns the lines that were added in `after` and those that were removed, marked as in a diff and in order.
std::string changed_lines(std::string_view before, std::string_view after);

}  // namespace detent::test
