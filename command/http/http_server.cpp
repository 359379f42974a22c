// SPDX-License-Identifier: MIT
#include "http/http_server.hpp"

#include <fcntl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "http/connection_loop.hpp"
#include "text/input_error.hpp"

namespace detent::tool {
namespace {

sigset_t ending_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  return signals;
}

// A descriptor that becomes readable when one of the signals is pending. The signals that are pending at its end are
// taken.
class signal_descriptor {
 public:
  explicit signal_descriptor(const sigset_t& signals) : descriptor_(::signalfd(-1, &signals, SFD_CLOEXEC)) {
    if (descriptor_ < 0) throw input_error(std::string("signalfd: ") + std::strerror(errno));
  }
  signal_descriptor(const signal_descriptor&) = delete;
  signal_descriptor& operator=(const signal_descriptor&) = delete;
  // Takes pending signals, which would end the process once they are unblocked.
  ~signal_descriptor() {
    signalfd_siginfo taken;
    static_cast<void>(::fcntl(descriptor_, F_SETFL, O_NONBLOCK));
    while (::read(descriptor_, &taken, sizeof taken) == sizeof taken) {
    }
    ::close(descriptor_);
  }
  int get() const { return descriptor_; }

 private:
  int descriptor_;
};

}  // namespace

http_server::http_server(http_options options)
    : options_(std::move(options)),
      pages_(options_),
      socket_(options_.socket.empty() ? listening_socket(options_.at) : listening_socket(options_.socket)) {
  if (options_.socket.empty()) options_.at.port = socket_.port();
  const sigset_t signals = ending_signals();
  pthread_sigmask(SIG_BLOCK, &signals, &earlier_);
}

http_server::~http_server() { pthread_sigmask(SIG_SETMASK, &earlier_, nullptr); }

void http_server::allow_own_content() {
  pages_.set_policy(
      "default-src 'none'; connect-src 'self'; img-src 'self' data:; script-src 'self'; style-src 'self'; "
      "base-uri 'none'; form-action 'self'; frame-ancestors 'none'");
}

void http_server::serve() {
  const signal_descriptor ending(ending_signals());
  connection_loop loop(socket_, [this](const std::string& head) { return pages_.answer_to(head); });
  loop.run(ending.get());
}

}  // namespace detent::tool
