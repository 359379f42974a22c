// SPDX-License-Identifier: MIT
// Sessions, each of which belongs to one loop: only its thread touches them, so that there is no lock.
#pragma once

#include <detent/sharded_engine.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "loop.hpp"

namespace loops {

struct server_options {
  std::size_t loops = 4;
  std::size_t sessions = 64;
};

// Counts answers; used by the thread that gives them.
struct answer_counts {
  std::uint64_t answered = 0;
  std::uint64_t late = 0;       // by more than late_from, after the delay since the client sent
  std::uint64_t disorder = 0;   // a deadline before that of the session's last callback
  std::uint64_t strangers = 0;  // run by a thread that is not the session's loop
  detent::duration worst{0};
};
inline constexpr detent::duration late_from = std::chrono::milliseconds(5);

// A callback of session 0 blocks its loop for 100 ms, each half second.
class server {
 public:
  explicit server(const server_options& options);
  server(const server&) = delete;
  server& operator=(const server&) = delete;
  ~server();

  std::uint16_t port() const { return port_; }
  std::size_t loop_of(std::uint32_t session) const { return set_.index_of(session); }
  const detent::sharded_engine& set() const { return set_; }
  // Ends the loops; the counts may be read then. Timers that were pending: as many as it returns.
  std::size_t stop();
  // Counts answers for a loop's sessions, to requests that came through the stuck loop's socket or through another's.
  const answer_counts& counts(std::size_t loop, bool by_stuck) const { return counts_[2 * loop + (by_stuck ? 1 : 0)]; }
  std::uint64_t crossed() const { return crossed_; }

 private:
  struct session_state {
    std::thread::id home;  // of the first callback, and so of all
    detent::time_point last = (detent::time_point::min)();
    std::uint64_t answered = 0;
  };
  void take(std::size_t at, const letter& got);
  void answer(std::size_t received_by, const letter& got, const detent::firing& now);

  detent::sharded_engine set_;
  std::vector<session_state> sessions_;
  std::vector<answer_counts> counts_;
  std::atomic<std::uint64_t> crossed_{0};  // letters for a session of another loop than their socket's
  std::uint16_t port_ = 0;
  std::vector<std::unique_ptr<loop>> loops_;
  std::vector<std::thread> threads_;
};

}  // namespace loops
