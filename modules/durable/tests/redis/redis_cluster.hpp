// SPDX-License-Identifier: MIT
// A cluster of three masters with a replica each, on the loopback interface. It continues without a master that it
// loses.
#pragma once

#include "free_ports.hpp"
#include "redis_server.hpp"

#include <hash_slot.hpp>

#include <chrono>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace detent::test {

class redis_cluster {
 public:
  static constexpr std::size_t masters = 3;

  redis_cluster() : ports_(free_ports(4 * masters)) {
    for (std::size_t i = 0; i != 2 * masters; ++i)
      nodes_.push_back(std::make_unique<redis_server>(std::vector<std::string>{
          "--port", std::to_string(ports_[i]), "--cluster-enabled", "yes", "--cluster-port",
          std::to_string(ports_[2 * masters + i]), "--cluster-node-timeout", "1000", "--cluster-require-full-coverage",
          "no", "--cluster-replica-validity-factor", "0", "--repl-ping-replica-period", "1"}));
    for (std::size_t i = 0; i != masters; ++i)
      master(i).ask("CLUSTER ADDSLOTSRANGE " + std::to_string(first_slot(i)) + " " +
                    std::to_string(first_slot(i + 1) - 1));
    for (std::size_t i = 1; i != nodes_.size(); ++i)
      nodes_[i]->ask("CLUSTER MEET 127.0.0.1 " + std::to_string(ports_[0]) + " " + std::to_string(ports_[2 * masters]));
    for (const auto& node : nodes_) wait_for(*node, "CLUSTER INFO", "cluster_known_nodes:6");
    for (std::size_t i = 0; i != masters; ++i) {
      const std::string name = master(i).ask("CLUSTER MYID");
      wait_for(replica(i), "CLUSTER REPLICATE " + name, "OK");
    }
    for (const auto& node : nodes_) wait_for(*node, "CLUSTER INFO", "cluster_state:ok");
    for (std::size_t i = 0; i != masters; ++i) wait_for(master(i), "INFO replication", "state=online");
  }

  // One node suffices: it names the others.
  std::string address() const { return "127.0.0.1:" + std::to_string(ports_[0]); }
  redis_server& master(std::size_t number) { return *nodes_[number]; }
  redis_server& replica(std::size_t of) { return *nodes_[masters + of]; }

  bool is_promoted(std::size_t of) { return replica(of).ask("ROLE").starts_with("master"); }

  // Which master a shard's keys are given to at the beginning.
  static std::size_t master_of(unsigned shard) {
    char tag[8];
    std::snprintf(tag, sizeof tag, "{%02u}", shard);
    const unsigned slot = durable::redis::hash_slot(tag);
    std::size_t number = 0;
    while (slot >= first_slot(number + 1)) ++number;
    return number;
  }

 private:
  static unsigned first_slot(std::size_t number) {
    return static_cast<unsigned>(number * durable::redis::slots / masters);
  }

  static void wait_for(const redis_server& node, const std::string& command, const std::string& wanted) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    for (std::string answer;;) {
      answer = node.ask(command);
      if (answer.find(wanted) != std::string::npos) return;
      if (std::chrono::steady_clock::now() > end) throw std::runtime_error("no cluster: " + command + ": " + answer);
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }

  std::vector<int> ports_;
  std::vector<std::unique_ptr<redis_server>> nodes_;  // masters, then their replicas
};

}  // namespace detent::test
