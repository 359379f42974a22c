// SPDX-License-Identifier: MIT
// The way to the exchange, where orders are: it takes an expiry with the fence of whoever sends it.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>

namespace orders {

// One request at a time, by one thread.
class exchange_link {
 public:
  explicit exchange_link(const std::string& path) : fd_(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0)) {
    sockaddr_un where{};
    where.sun_family = AF_UNIX;
    if (path.size() >= sizeof where.sun_path) throw std::runtime_error(path + ": too long for a socket");
    std::memcpy(where.sun_path, path.data(), path.size());
    if (fd_ < 0 || ::connect(fd_, reinterpret_cast<const sockaddr*>(&where), sizeof where) != 0)
      throw std::runtime_error(path + ": no exchange there");
  }
  exchange_link(const exchange_link&) = delete;
  exchange_link& operator=(const exchange_link&) = delete;
  ~exchange_link() { ::close(fd_); }

  // Returns the answer: expired, again (it was expired before) or fenced (a higher fence was seen for this symbol).
  std::string expire(std::string_view order, std::string_view symbol, std::uint64_t fence, std::int64_t due) {
    const std::string request =
        std::string(order) + ' ' + std::string(symbol) + ' ' + std::to_string(fence) + ' ' + std::to_string(due);
    char answer[32];
    if (::send(fd_, request.data(), request.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(request.size()))
      throw std::runtime_error("the exchange takes nothing");
    const ssize_t size = ::recv(fd_, answer, sizeof answer, 0);
    if (size <= 0) throw std::runtime_error("the exchange does not answer");
    return std::string(answer, static_cast<std::size_t>(size));
  }

 private:
  const int fd_;
};

}  // namespace orders
