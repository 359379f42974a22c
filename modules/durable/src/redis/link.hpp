// SPDX-License-Identifier: MIT
// One connection to one server, that has said what it is and has the scripts. One thread.
#pragma once

#include "refusal.hpp"
#include "scripts.hpp"
#include "tls.hpp"

#include <hiredis/hiredis.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace detent::durable::redis {

// Where a Redis server listens.
struct address {
  std::string host;  // or the path of a socket, which has no port
  int port = 0;

  bool is_path() const noexcept { return port == 0; }
  std::string text() const;
  friend bool operator==(const address&, const address&) = default;
};

// Accepts PATH, HOST:PORT or [HOST]:PORT. A path has a slash in it or no colon. Throws std::invalid_argument for
// anything else.
address parse_address(std::string_view text);

// Accepts one or several addresses, separated by commas.
std::vector<address> parse_addresses(std::string_view text);

struct free_reply {
  void operator()(redisReply* done) const noexcept { freeReplyObject(done); }
};
using reply = std::unique_ptr<redisReply, free_reply>;

inline std::string_view text_of(const redisReply& from) noexcept { return {from.str, from.len}; }

struct credentials {
  std::string user = {};      // empty stands for the default user
  std::string password = {};  // if empty, none is sent
};

// The way to reach servers.
struct access {
  credentials who = {};
  std::chrono::microseconds patience = {};       // each wait for a server takes at most this long
  std::shared_ptr<const tls> secured = nullptr;  // null if without TLS
};

// The facts that a server states about itself in INFO, or in HELLO, which has neither the policy nor the process.
struct server_facts {
  std::string version;
  std::string policy;  // maxmemory-policy
  bool is_cluster = false;
  bool is_replica = false;
  std::string process = {};  // run_id, which differs after each start and on each machine
};

// The purpose of a connection. Connections for other purposes than the store run no scripts, so they only send the
// password.
enum class purpose : unsigned char { store, other };

// Says whether detent can use such a server at all: if not, what is wrong, and the cure.
trouble unfit(const server_facts& facts);

server_facts facts_of(std::string_view info);

class link {
 public:
  // Does not connect before the first open().
  link(address where, access how, purpose what_for = purpose::store);

  const address& where() const noexcept { return where_; }
  bool is_open() const noexcept { return connection_ != nullptr; }

  // Connects, authenticates, asks the server for its facts, and loads the scripts. Does nothing if the connection is
  // open. After a failure, further calls fail at once for a while, so that a dead server does not take the caller's
  // time.
  trouble open();
  // Also drops what the kernel has not sent yet, because a batch that was given up would change newer state later.
  void close() noexcept;

  // The facts of the server when it was opened.
  const server_facts& facts() const noexcept { return facts_; }
  std::string_view digest(script which) const noexcept { return digests_[static_cast<std::size_t>(which)]; }

  // Queues a command. read() sends all queued commands and returns the next answer, or null if the connection is lost;
  // why() then says why.
  void append(std::span<const std::string_view> words);
  reply read();
  const std::string& why() const noexcept { return why_; }

  // These are for a subscriber. flush() sends all queued commands, and take_pushed() calls `each` with each message
  // that the server has pushed by now. Both return false if the connection is lost.
  int descriptor() const noexcept { return connection_->fd; }
  bool flush();
  bool take_pushed(const std::function<void(const redisReply&)>& each);

 private:
  using connection = std::unique_ptr<redisContext, decltype(&redisFree)>;

  trouble connect();
  trouble introduce();
  trouble say_hello();
  trouble fail(refusal kind, std::string text);

  const address where_;
  const access how_;
  const purpose what_for_;
  std::uint64_t connections_ = 0;
  connection connection_{nullptr, &redisFree};
  server_facts facts_;
  std::array<std::string, scripts> digests_;
  std::string why_;
  std::chrono::microseconds pause_{};  // after the last failure; each one doubles it
  std::chrono::steady_clock::time_point not_before_{};
};

}  // namespace detent::durable::redis
