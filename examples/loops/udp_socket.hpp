// SPDX-License-Identifier: MIT
// What goes over the wire, and a socket for it.
#pragma once

#include <netinet/in.h>

#include <cstdint>
#include <optional>

namespace loops {

// A request and its reply: the same words, of this host alone.
struct datagram {
  std::uint32_t session;
  std::uint32_t number;    // of the client's request
  std::uint32_t delay_us;  // after which it is answered
  std::int64_t sent_at;    // nanoseconds of the steady clock, which is one for both ends
};

struct letter {
  datagram content;
  sockaddr_in from;
};

// On the loopback device, not blocking. Throws std::system_error.
class udp_socket {
 public:
  // Several may listen at one port: the kernel divides the clients among them.
  static udp_socket listening(std::uint16_t port);
  static udp_socket connected_to(std::uint16_t port);
  udp_socket(udp_socket&& other) noexcept;
  udp_socket& operator=(udp_socket&&) = delete;
  ~udp_socket();

  int fd() const noexcept { return fd_; }
  std::uint16_t port() const;
  std::optional<letter> receive() const;  // none: there is none now
  void send(const datagram& content) const;
  void send(const datagram& content, const sockaddr_in& to) const;

 private:
  explicit udp_socket(int fd) noexcept : fd_(fd) {}
  int fd_;
};

}  // namespace loops
