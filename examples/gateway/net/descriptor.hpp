// SPDX-License-Identifier: MIT
#pragma once

#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace net {

// The last system call's error as an exception, with what it was about.
[[noreturn]] inline void throw_errno(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

// Owns a file descriptor.
class descriptor {
 public:
  descriptor() = default;
  // Takes the result of a system call and throws if the call failed.
  descriptor(int fd, const char* what) : fd_(fd) {
    if (fd < 0) throw_errno(what);
  }
  descriptor(descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  descriptor& operator=(descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~descriptor() {
    if (fd_ >= 0) close(fd_);
  }

  int get() const { return fd_; }

 private:
  int fd_ = -1;
};

}  // namespace net
