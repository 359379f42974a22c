// SPDX-License-Identifier: MIT
#include "stop_signals.hpp"

#include <sys/epoll.h>
#include <sys/signalfd.h>

#include <csignal>

namespace net {
namespace {

descriptor signals_as_descriptor() {
  sigset_t both;
  sigemptyset(&both);
  sigaddset(&both, SIGTERM);
  sigaddset(&both, SIGINT);
  if (sigprocmask(SIG_BLOCK, &both, nullptr) != 0) throw_errno("sigprocmask");
  return {signalfd(-1, &both, SFD_CLOEXEC | SFD_NONBLOCK), "signalfd"};
}

}  // namespace

stop_signals::stop_signals(event_loop& loop) : signals_(signals_as_descriptor()) {
  loop.watch(signals_.get(), *this, EPOLLIN);
}

}  // namespace net
