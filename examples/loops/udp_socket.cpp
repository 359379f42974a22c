// SPDX-License-Identifier: MIT
#include "udp_socket.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace loops {
namespace {

int checked(int result, const char* what) {
  if (result < 0) throw std::system_error(errno, std::generic_category(), what);
  return result;
}

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_port = htons(port);
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return at;
}

const sockaddr* generic(const sockaddr_in& at) { return reinterpret_cast<const sockaddr*>(&at); }

int open_socket() { return checked(socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), "socket"); }

}  // namespace

udp_socket udp_socket::listening(std::uint16_t port) {
  udp_socket made(open_socket());
  const int on = 1, room = 1 << 20;
  checked(setsockopt(made.fd_, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on), "SO_REUSEPORT");
  checked(setsockopt(made.fd_, SOL_SOCKET, SO_RCVBUF, &room, sizeof room), "SO_RCVBUF");
  const sockaddr_in at = loopback(port);
  checked(bind(made.fd_, generic(at), sizeof at), "bind");
  return made;
}

udp_socket udp_socket::connected_to(std::uint16_t port) {
  udp_socket made(open_socket());
  const sockaddr_in at = loopback(port);
  checked(connect(made.fd_, generic(at), sizeof at), "connect");
  return made;
}

udp_socket::udp_socket(udp_socket&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
udp_socket::~udp_socket() {
  if (fd_ >= 0) close(fd_);
}

std::uint16_t udp_socket::port() const {
  sockaddr_in at{};
  socklen_t length = sizeof at;
  checked(getsockname(fd_, reinterpret_cast<sockaddr*>(&at), &length), "getsockname");
  return ntohs(at.sin_port);
}

std::optional<letter> udp_socket::receive() const {
  letter got{};
  socklen_t length = sizeof got.from;
  const ssize_t bytes =
      recvfrom(fd_, &got.content, sizeof got.content, 0, reinterpret_cast<sockaddr*>(&got.from), &length);
  if (bytes < 0 && errno != EAGAIN && errno != EINTR) checked(-1, "recvfrom");
  if (bytes != static_cast<ssize_t>(sizeof got.content)) return std::nullopt;
  return got;
}

void udp_socket::send(const datagram& content) const {
  if (::send(fd_, &content, sizeof content, 0) < 0 && errno != EAGAIN) checked(-1, "send");
}

void udp_socket::send(const datagram& content, const sockaddr_in& to) const {
  if (sendto(fd_, &content, sizeof content, 0, generic(to), sizeof to) < 0 && errno != EAGAIN) checked(-1, "sendto");
}

}  // namespace loops
