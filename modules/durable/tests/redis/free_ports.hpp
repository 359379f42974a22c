// SPDX-License-Identifier: MIT
// Ports of the loopback interface, and a cluster on them.
#pragma once

#include "redis_server.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace detent::test {

// Ports that were free a moment ago; below those that the kernel gives to others by itself.
inline std::vector<int> free_ports(std::size_t count) {
  std::random_device random;
  std::uniform_int_distribution<int> any(15'000, 30'000);
  std::vector<int> sockets;
  std::vector<int> ports;
  for (int tries = 0; ports.size() != count; ++tries) {
    if (tries == 10'000) throw std::runtime_error("no free port");
    const int one = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int port = any(random);
    sockaddr_in where{};
    where.sin_family = AF_INET;
    where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    where.sin_port = htons(static_cast<std::uint16_t>(port));
    sockets.push_back(one);
    if (::bind(one, reinterpret_cast<sockaddr*>(&where), sizeof where) == 0) ports.push_back(port);
  }
  for (const int one : sockets) ::close(one);
  return ports;
}

// Gives the slots to the nodes in equal parts, and returns when each node knows it.
inline void make_cluster(const std::vector<std::unique_ptr<redis_server>>& nodes, const std::vector<int>& ports) {
  constexpr unsigned slots = 16384;
  for (std::size_t i = 0; i != nodes.size(); ++i) {
    nodes[i]->ask("CLUSTER ADDSLOTSRANGE " + std::to_string(i * slots / nodes.size()) + " " +
                  std::to_string((i + 1) * slots / nodes.size() - 1));
    const std::string bus = nodes.front()->ask("CONFIG GET cluster-port");
    if (i != 0) nodes[i]->ask("CLUSTER MEET 127.0.0.1 " + std::to_string(ports.front()) + bus.substr(bus.rfind(' ')));
  }
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  for (const auto& node : nodes) {
    const std::string wanted = "cluster_known_nodes:" + std::to_string(nodes.size());
    for (std::string info;
         info.find("cluster_state:ok") == std::string::npos || info.find(wanted) == std::string::npos;) {
      if (std::chrono::steady_clock::now() > end) throw std::runtime_error("the cluster did not form: " + info);
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      info = node->ask("CLUSTER INFO");
    }
  }
}

}  // namespace detent::test
