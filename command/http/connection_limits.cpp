// SPDX-License-Identifier: MIT
#include "http/connection_limits.hpp"

#include <netinet/in.h>
#include <sys/socket.h>

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

#include "text/printable_text.hpp"

namespace detent::tool {
namespace {

int port_of(const sockaddr_storage& address) {
  if (address.ss_family == AF_INET) return ntohs(reinterpret_cast<const sockaddr_in&>(address).sin_port);
  if (address.ss_family == AF_INET6) return ntohs(reinterpret_cast<const sockaddr_in6&>(address).sin6_port);
  return 0;
}

// The peer's address, as bytes, if this is a connection to the port.
std::optional<std::string> peer_of(int descriptor, int port) {
  sockaddr_storage own = {}, peer = {};
  socklen_t own_bytes = sizeof own, peer_bytes = sizeof peer;
  if (::getsockname(descriptor, reinterpret_cast<sockaddr*>(&own), &own_bytes) != 0 || port_of(own) != port)
    return std::nullopt;
  if (::getpeername(descriptor, reinterpret_cast<sockaddr*>(&peer), &peer_bytes) != 0) return std::nullopt;
  return std::string(reinterpret_cast<const char*>(&peer), peer_bytes);
}

}  // namespace

void connection_sweep::end_older_than(std::chrono::seconds age) {
  const time_point now = std::chrono::steady_clock::now();
  std::map<std::string, time_point> seen;
  std::error_code trouble;  // without /proc there is nothing to find
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", trouble)) {
    const int descriptor = std::stoi(entry.path().filename().string());
    const auto peer = peer_of(descriptor, port_);
    if (!peer) continue;
    std::string key = fmt::format("{} {}", descriptor, *peer);
    const auto found = first_seen_.find(key);
    const time_point since = found == first_seen_.end() ? now : found->second;
    // Where the descriptor has become another one just now: another connection, whose client tries again, or no socket.
    if (now - since >= age) ::shutdown(descriptor, SHUT_RDWR);
    seen.emplace(std::move(key), since);
  }
  first_seen_ = std::move(seen);
}

}  // namespace detent::tool
