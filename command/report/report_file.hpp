// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <string_view>

namespace detent::tool {

// The file for a report. The constructor proves that it can be written, so that no long replay is wasted. write()
// replaces the page as a whole, through a temporary file beside the target, so a reader sees the old page or the new
// one. Both throw input_error that names the path. A target that exists and is not a regular file, such as a pipe or a
// device, is written directly.
class report_file {
 public:
  explicit report_file(std::string path);

  void write(std::string_view page) const;
  const std::string& path() const { return path_; }

 private:
  [[noreturn]] void refuse(int error_number) const;
  int open_beside(std::string& name) const;
  void replace_with(std::string_view page) const;
  void write_all(int descriptor, std::string_view page, const std::string& temporary) const;

  std::string path_;    // as the user typed it
  std::string target_;  // the file itself, without symbolic links
  bool direct_ = false;
};

}  // namespace detent::tool
