// SPDX-License-Identifier: MIT
#include "journal_client.hpp"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>
#include <system_error>

namespace lease {

namespace {

[[noreturn]] void fail(const std::string& what) { throw std::system_error(errno, std::generic_category(), what); }

}  // namespace

journal_client::journal_client(const std::string& socket_path)
    : socket_(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0)) {
  if (socket_ < 0) fail("socket");
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  errno = ENAMETOOLONG;
  if (socket_path.size() < sizeof address.sun_path) {
    std::memcpy(address.sun_path, socket_path.c_str(), socket_path.size());
    if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return;
  }
  const int problem = errno;
  ::close(socket_);
  errno = problem;
  fail(socket_path);
}

journal_client::~journal_client() { ::close(socket_); }

bool journal_client::write(const permit& allowed) {
  const auto ns = [](boot_time time) { return time.time_since_epoch().count(); };
  const std::string entry = fmt::format("{} {} {}", allowed.fence, ns(allowed.checked), ns(allowed.until));
  char answer[16];
  if (::send(socket_, entry.data(), entry.size(), MSG_NOSIGNAL) < 0) fail("the journal");
  ssize_t size = 0;
  while ((size = ::recv(socket_, answer, sizeof answer, 0)) < 0 && errno == EINTR) {
  }
  if (size < 0) fail("the journal");
  if (size == 0) throw std::runtime_error("the journal has closed");
  return std::string_view(answer, static_cast<std::size_t>(size)) == "ok";
}

}  // namespace lease
