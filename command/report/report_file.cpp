// SPDX-License-Identifier: MIT
#include "report/report_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "text/input_error.hpp"
#include "text/printable_text.hpp"

namespace detent::tool {
namespace {

// The mode that open() would give a new file; mkostemp() gives 0600.
mode_t default_mode() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666 & ~mask;
}

}  // namespace

report_file::report_file(std::string path) : path_(std::move(path)), target_(path_) {
  struct stat found = {};
  if (::stat(path_.c_str(), &found) == 0) {
    if (S_ISDIR(found.st_mode)) refuse(EISDIR);
    direct_ = !S_ISREG(found.st_mode);
    if (::access(path_.c_str(), W_OK) != 0) refuse(errno);
    std::error_code trouble;
    const auto resolved = std::filesystem::canonical(path_, trouble);
    if (!trouble && !direct_) target_ = resolved.string();
  } else if (errno != ENOENT || path_.ends_with('/')) {
    refuse(errno);
  }
  if (direct_) return;
  std::string probe;
  ::close(open_beside(probe));
  ::unlink(probe.c_str());
}

void report_file::refuse(int error_number) const {
  throw input_error(fmt::format("{}: the report cannot be written: {}", printable(path_), std::strerror(error_number)));
}

int report_file::open_beside(std::string& name) const {
  name = target_ + ".XXXXXX";
  const int descriptor = ::mkostemp(name.data(), O_CLOEXEC);
  if (descriptor < 0) refuse(errno);
  return descriptor;
}

void report_file::write(std::string_view page) const {
  if (!direct_) return replace_with(page);
  const int descriptor = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) refuse(errno);
  write_all(descriptor, page, {});
}

void report_file::replace_with(std::string_view page) const {
  std::string temporary;
  const int descriptor = open_beside(temporary);
  ::fchmod(descriptor, default_mode());
  write_all(descriptor, page, temporary);
  if (std::rename(temporary.c_str(), target_.c_str()) != 0) {
    const int error_number = errno;
    ::unlink(temporary.c_str());
    refuse(error_number);
  }
}

void report_file::write_all(int descriptor, std::string_view page, const std::string& temporary) const {
  int error_number = 0;
  while (!page.empty() && error_number == 0) {
    const ssize_t written = ::write(descriptor, page.data(), page.size());
    if (written < 0 && errno != EINTR) error_number = errno;
    if (written > 0) page.remove_prefix(static_cast<std::size_t>(written));
  }
  if (::close(descriptor) != 0 && error_number == 0) error_number = errno;
  if (error_number == 0) return;
  if (!temporary.empty()) ::unlink(temporary.c_str());
  refuse(error_number);
}

}  // namespace detent::tool
