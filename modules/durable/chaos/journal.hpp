// SPDX-License-Identifier: MIT
#pragma once

#include <fcntl.h>
#include <sys/syscall.h>

#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>

namespace chaos {

// The machine's own wall clock, also where this process's is set off.
inline std::int64_t machine_us() noexcept {
  timespec read{};
  ::syscall(SYS_clock_gettime, CLOCK_REALTIME, &read);
  return std::int64_t{read.tv_sec} * 1'000'000 + read.tv_nsec / 1000;
}

// The file that all processes of one chaos run write into. promises.py reads it, and explains its lines.
class journal {
 public:
  explicit journal(const std::string& path)
      : file_(::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644)) {
    if (file_ < 0) throw std::runtime_error(path + ": " + std::strerror(errno));
  }
  // One write() of one line: whole, or not at all, also if the process is killed.
  template <class... Words>
  void write(const Words&... words) const {
    std::ostringstream line;
    const char* gap = "";
    ((line << std::exchange(gap, " ") << words), ...);
    line << '\n';
    const std::string text = line.str();
    if (::write(file_, text.data(), text.size()) != static_cast<ssize_t>(text.size())) std::abort();
  }

 private:
  int file_;
};

}  // namespace chaos
