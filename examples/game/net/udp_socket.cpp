// SPDX-License-Identifier: MIT
// The system calls of UDP.
#include "net/udp_socket.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <system_error>

namespace game {
namespace {

sockaddr_in to_sockaddr(const endpoint& of) noexcept {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(of.address);
  address.sin_port = htons(of.port);
  return address;
}

endpoint to_endpoint(const sockaddr_in& of) noexcept { return {ntohl(of.sin_addr.s_addr), ntohs(of.sin_port)}; }

// The sockets' calls want the general type.
sockaddr* general(sockaddr_in& of) noexcept { return reinterpret_cast<sockaddr*>(&of); }

}  // namespace

endpoint loopback(std::uint16_t port) noexcept { return {INADDR_LOOPBACK, port}; }

udp_socket::udp_socket(std::uint16_t port)
    : fd_(socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), "UDP socket") {
  sockaddr_in address = to_sockaddr(loopback(port));
  if (bind(fd(), general(address), sizeof address) != 0)
    throw std::system_error(errno, std::generic_category(), "UDP port " + std::to_string(port));
}

std::uint16_t udp_socket::port() const {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  if (getsockname(fd(), general(address), &size) != 0)
    throw std::system_error(errno, std::generic_category(), "getsockname");
  return to_endpoint(address).port;
}

std::optional<udp_socket::received> udp_socket::receive() {
  for (;;) {
    sockaddr_in address{};
    socklen_t size = sizeof address;
    const ssize_t length = recvfrom(fd(), buffer_.data(), buffer_.size(), 0, general(address), &size);
    if (length >= 0) return received{to_endpoint(address), std::span(buffer_).first(static_cast<std::size_t>(length))};
    if (errno == EAGAIN) return std::nullopt;
    if (errno != EINTR) throw std::system_error(errno, std::generic_category(), "recvfrom");
  }
}

bool udp_socket::send(const endpoint& to, std::span<const std::byte> bytes) noexcept {
  sockaddr_in address = to_sockaddr(to);
  return sendto(fd(), bytes.data(), bytes.size(), 0, general(address), sizeof address) >= 0;
}

}  // namespace game
