// SPDX-License-Identifier: MIT
#include "text/complaint.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <ctime>

namespace detent::tool {
namespace {

// Keeps a write to a pipe without a reader from ending the process.
class without_pipe_signal {
 public:
  without_pipe_signal() noexcept {
    sigemptyset(&pipe_signal_);
    sigaddset(&pipe_signal_, SIGPIPE);
    sigset_t pending;
    sigemptyset(&pending);
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe_signal_, &before_);
  }
  without_pipe_signal(const without_pipe_signal&) = delete;
  without_pipe_signal& operator=(const without_pipe_signal&) = delete;
  ~without_pipe_signal() {
    const timespec at_once = {};
    if (!was_pending_) sigtimedwait(&pipe_signal_, nullptr, &at_once);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t pipe_signal_ = {}, before_ = {};
  bool was_pending_ = false;
};

iovec piece(std::string_view text) noexcept { return {const_cast<char*>(text.data()), text.size()}; }

}  // namespace

void complain(std::string_view text) noexcept {
  const without_pipe_signal held;
  const std::array<iovec, 3> line = {piece("detent: "), piece(text), piece("\n")};
  while (::writev(STDERR_FILENO, line.data(), line.size()) < 0 && errno == EINTR) {
  }
}

void hold_standard_descriptors() noexcept {
  for (int each = STDIN_FILENO; each <= STDERR_FILENO; ++each) {
    if (::fcntl(each, F_GETFD) >= 0 || errno != EBADF) continue;
    // The lowest free descriptor is this one, because all below it are open. It is opened in the wrong direction, so
    // that using it fails.
    ::open("/dev/null", each == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

}  // namespace detent::tool
