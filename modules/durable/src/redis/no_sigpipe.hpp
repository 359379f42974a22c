// SPDX-License-Identifier: MIT
// hiredis sends with write(), so a server that has hung up costs the process a SIGPIPE. The program's own choice about
// that signal is not the library's to change.
#pragma once

#include <cerrno>
#include <csignal>
#include <ctime>

namespace detent::durable::redis {

// As long as it lives, a SIGPIPE that this thread causes is swallowed. It costs three system calls.
class no_sigpipe {
 public:
  no_sigpipe() noexcept {
    sigset_t pending;
    ::sigpending(&pending);
    was_pending_ = ::sigismember(&pending, SIGPIPE) == 1;
    ::sigemptyset(&pipe_);
    ::sigaddset(&pipe_, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  no_sigpipe(const no_sigpipe&) = delete;
  no_sigpipe& operator=(const no_sigpipe&) = delete;
  ~no_sigpipe() {
    if (!was_pending_ && ::sigismember(&before_, SIGPIPE) == 0) {
      const timespec at_once{};
      while (::sigtimedwait(&pipe_, nullptr, &at_once) == -1 && errno == EINTR) {
      }
    }
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t pipe_{};
  sigset_t before_{};
  bool was_pending_ = false;
};

}  // namespace detent::durable::redis
