// SPDX-License-Identifier: MIT
// The servers that a store lies on: one, a master and its replicas, those of which Sentinels know, or a cluster. One
// thread.
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

// A script to run, and what came of it. What the words point to is the caller's until run() returns.
struct call {
  script what;
  std::span<const std::string> keys;    // all of one slot
  std::vector<std::string_view> words;  // its ARGV

  reply answer = nullptr;  // of the process named so; or
  std::string process = {};
  trouble failed = {};
  bool was_sent = false;  // where there is no answer: it may have been carried out
  bool is_heard = false;  // replicas have what it wrote
};

class servers {
 public:
  // The places are those of one server; of a master and its replicas, in any order; of some nodes of a cluster; or of
  // Sentinels.
  servers(whereabouts where, access how);

  // Connects to a master. Says what the server cannot do, with the cure: meant for the start, where it is an error that
  // stays.
  trouble open();

  // Runs all, each batch in one round trip a server. An answer that was lost is asked for once more: every script may
  // run twice. Scripts that a server has forgotten are sent with the call; a slot that has moved is followed.
  void run(std::span<call> calls);
  void run(call& one) { run(std::span(&one, 1)); }

  // After run() of these calls: waits until `replicas` of each process that answered one have what was written, and
  // says so in each call. False: some have not within `limit`, at least 1 ms, or such a process is gone.
  bool wait_for_replicas(std::span<call> calls, unsigned replicas, std::chrono::milliseconds limit);

  bool is_cluster() const noexcept { return is_cluster_; }
  std::chrono::microseconds patience() const noexcept { return how_.patience; }
  // The servers known now, the one in use first; or the Sentinels. For who subscribes.
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
  std::unique_ptr<sentinels> sentinels_;  // null: the addresses are those of servers
  std::vector<address> known_;
  std::map<std::string, std::unique_ptr<link>, std::less<>> links_;  // by the address's text
  std::vector<link*> used_;                                          // by the last run()
  std::size_t master_ = 0;                                           // of known_, where it is no cluster
  bool is_cluster_ = false;
  std::vector<std::uint16_t> owner_of_;  // of each slot, which of known_; cluster only
};

}  // namespace detent::durable::redis
