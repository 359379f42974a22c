// SPDX-License-Identifier: MIT
// The servers that a store lies on: a single one, a master and its replicas, those that Sentinels name, or a cluster.
// Used by one thread.
#pragma once

#include "hash_slot.hpp"
#include "link.hpp"
#include "sentinels.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace detent::durable::redis {

// A script to run, and its result. The data that the words refer to must stay valid until run() returns.
struct call {
  script what;
  std::span<const std::string> keys;    // all in one slot
  std::vector<std::string_view> words;  // the script's ARGV

  reply answer = nullptr;  // or null, and `failed` says why
  std::string process = {};
  trouble failed = {};
  bool was_sent = false;  // if there is no answer, it may have been carried out
  bool is_heard = false;  // replicas have its writes
};

class servers {
 public:
  // `where` has the address of one server; of a master and its replicas, in any order; of some nodes of a cluster; or
  // of Sentinels.
  servers(whereabouts where, access how);

  // Connects to a master. Reports a server that lacks something, with the cure; to be called at the start, where such
  // an error is final.
  trouble open();

  // Runs all calls, in one round trip for each server. If an answer is lost, the call is sent once more, so every
  // script must stand being run twice. A script that a server has forgotten is sent with the call, and a slot that has
  // moved is followed.
  void run(std::span<call> calls);
  void run(call& one) { run(std::span(&one, 1)); }

  // Called after run() of these calls. Waits until `replicas` replicas of each process that has answered have its
  // writes, and notes that in each call. Returns false if some do not within `limit`, which is at least 1 ms, or if
  // such a process is gone.
  bool wait_for_replicas(std::span<call> calls, unsigned replicas, std::chrono::milliseconds limit);

  bool is_cluster() const noexcept { return is_cluster_; }
  std::chrono::microseconds patience() const noexcept { return how_.patience; }
  // The servers that are known now, beginning with the one in use; or the Sentinels. For subscribers.
  whereabouts places() const;

 private:
  struct pending;

  link& to(const address& where);
  trouble open_master();
  trouble open_named_master();
  void leave_old_master();
  trouble read_slots();
  trouble unfit_owner();
  trouble read_slots_from(link& through);
  std::size_t number_of(address where);
  link* reach(pending& one);
  void send(pending& one);
  bool receive(pending& one);
  bool again(pending& one, std::string_view error);
  bool follow(pending& one, std::string_view error);

  const whereabouts where_;
  const access how_;
  std::unique_ptr<sentinels> sentinels_;  // null if the addresses are those of servers
  std::vector<address> known_;
  std::map<std::string, std::unique_ptr<link>, std::less<>> links_;  // by the address's text
  std::vector<link*> used_;                                          // in the last run()
  std::size_t master_ = 0;                                           // in known_, unless it is a cluster
  bool is_cluster_ = false;
  std::vector<std::uint16_t> owner_of_;  // of each slot, as places in known_; only in a cluster
};

}  // namespace detent::durable::redis
