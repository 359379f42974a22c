// SPDX-License-Identifier: MIT
// UDP over the loopback interface, without blocking.
#pragma once

#include "net/event_loop.hpp"

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace game {

inline constexpr std::size_t longest_datagram = 1400;

struct endpoint {
  std::uint32_t address = 0;
  std::uint16_t port = 0;
  // clang-tidy 14 takes the comparison with 0 that the compiler writes here for one with a pointer.
  friend auto operator<=>(const endpoint&, const endpoint&) = default;  // NOLINT(modernize-use-nullptr)
};
endpoint loopback(std::uint16_t port) noexcept;

class udp_socket {
 public:
  struct received {
    endpoint from;
    std::span<const std::byte> bytes;  // until the next receive()
  };

  // Port 0: any that is free. Throws std::system_error.
  explicit udp_socket(std::uint16_t port = 0);
  int fd() const noexcept { return fd_.get(); }
  std::uint16_t port() const;

  // None: nothing is there.
  std::optional<received> receive();
  // False: the kernel did not take it, as it may do with datagrams.
  bool send(const endpoint& to, std::span<const std::byte> bytes) noexcept;

 private:
  owned_fd fd_;
  std::array<std::byte, longest_datagram + 1> buffer_;  // what fills it is too long to be one of ours
};

}  // namespace game
