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
#include <string_view>

namespace chaos {

// The machine's own wall clock, also where this process's is set off.
inline std::int64_t machine_us() noexcept {
  timespec read{};
  ::syscall(SYS_clock_gettime, CLOCK_REALTIME, &read);
  return std::int64_t{read.tv_sec} * 1'000'000 + read.tv_nsec / 1000;
}

// The clock by which the judge puts the lines of several processes in their order.
inline std::int64_t boot_us() noexcept {
  timespec read{};
  ::clock_gettime(CLOCK_BOOTTIME, &read);
  return std::int64_t{read.tv_sec} * 1'000'000 + read.tv_nsec / 1000;
}

// One process's own file, which the next process of that name continues. judge/journals.py reads it and explains its
// lines. Any thread.
class journal {
 public:
  journal(const std::string& directory, const std::string& node)
      : path_(directory + "/" + node), file_(::open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644)) {
    if (file_ < 0) throw std::runtime_error(path_ + ": " + std::strerror(errno));
  }
  journal(const journal&) = delete;
  journal& operator=(const journal&) = delete;
  ~journal() { ::close(file_); }

  const std::string& path() const noexcept { return path_; }

  // Writes one line by one write(): what it is, the boot clock, this process's wall clock, the words, and a dot by
  // which a line that was cut off is known.
  template <class... Words>
  void write(std::string_view what, const Words&... words) const {
    const auto wall = std::chrono::system_clock::now().time_since_epoch();
    std::ostringstream line;
    line << what << ' ' << boot_us() << ' ' << std::chrono::duration_cast<std::chrono::microseconds>(wall).count();
    ((line << ' ' << words), ...);
    line << " .\n";
    const std::string text = line.str();
    if (::write(file_, text.data(), text.size()) != static_cast<ssize_t>(text.size())) std::abort();
  }

  // The line that a killed process began to write ends here.
  void begin() const {
    if (::write(file_, "\n", 1) != 1) std::abort();
    write("born");
  }

 private:
  std::string path_;
  int file_;
};

}  // namespace chaos
