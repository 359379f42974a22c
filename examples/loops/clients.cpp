// SPDX-License-Identifier: MIT
#include "clients.hpp"

#include <random>
#include <thread>
#include <vector>

#include "udp_socket.hpp"

namespace loops {

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

namespace {

constexpr std::size_t sockets = 32;
constexpr std::uint32_t longest_delay_us = 20'000;
constexpr std::uint64_t most_unanswered = 256;  // more than a socket's buffer holds would be lost

class crowd {
 public:
  crowd(std::uint16_t port, std::size_t sessions, std::uint64_t seed)
      : random_(seed), any_session_(0, static_cast<std::uint32_t>(sessions - 1)) {
    for (std::size_t i = 0; i < sockets; ++i) sockets_.push_back(udp_socket::connected_to(port));
  }
  void ask() {
    const datagram request{any_session_(random_), static_cast<std::uint32_t>(answered_.size()), any_delay_(random_),
                           clock::now().time_since_epoch().count()};
    answered_.push_back(false);
    ++counts_.asked;
    sockets_[any_socket_(random_)].send(request);
  }
  void listen() {
    for (const udp_socket& each : sockets_) {
      while (const std::optional<letter> got = each.receive()) {
        if (got->content.number >= answered_.size()) continue;
        const bool before = answered_[got->content.number];
        answered_[got->content.number] = true;
        ++(before ? counts_.twice : counts_.answered);
      }
    }
  }
  std::uint64_t unanswered() const { return counts_.asked - counts_.answered; }
  const client_counts& counts() const { return counts_; }

 private:
  std::mt19937_64 random_;
  std::uniform_int_distribution<std::uint32_t> any_session_, any_delay_{0, longest_delay_us};
  std::uniform_int_distribution<std::size_t> any_socket_{0, sockets - 1};
  std::vector<udp_socket> sockets_;
  std::vector<bool> answered_;
  client_counts counts_;
};

}  // namespace

client_counts ask(std::uint16_t port, std::size_t sessions, std::chrono::milliseconds length, std::uint64_t seed) {
  crowd all(port, sessions, seed);
  const auto end = clock::now() + length;
  while (clock::now() < end) {
    for (int i = 0; i < 2 && all.unanswered() < most_unanswered; ++i) all.ask();
    all.listen();
    std::this_thread::sleep_for(1ms);
  }
  for (const auto last = clock::now() + 10s; all.unanswered() != 0 && clock::now() < last;) {
    all.listen();
    std::this_thread::sleep_for(1ms);
  }
  return all.counts();
}

}  // namespace loops
