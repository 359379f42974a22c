// SPDX-License-Identifier: MIT
// The RPC client: retries within a deadline, and hedges: a copy to another server, when an answer takes unusually long.
#pragma once

#include "connection.hpp"
#include "recent_latency.hpp"
#include "retry.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <random>
#include <vector>

namespace rpc {

struct client_policy {
  retry_policy retry;
  detent::recipes::backoff_policy pauses{.longest = std::chrono::milliseconds(500)};
  std::uint64_t retry_percent = 10;  // of the calls may be retried
  std::uint64_t hedge_percent = 5;   // of the calls may be sent twice
  std::uint64_t reserve = 1000;      // of either, to begin with
  bool hedge = true;
  double hedge_percentile = 95;  // a copy is sent after hedge_factor times what so many of the last answers took
  double hedge_factor = 3;
};

struct client_tally {
  std::uint64_t attempts = 0;
  std::uint64_t timeouts = 0;
  std::uint64_t disconnects = 0;
  std::uint64_t hedges_won = 0;

  void add(const client_tally& other) {
    attempts += other.attempts;
    timeouts += other.timeouts;
    disconnects += other.disconnects;
    hedges_won += other.hedges_won;
  }
};

// Everything happens on the thread that runs `io`. Destroyed after its last call has ended.
template <class Timers>
class client {
 public:
  // Connects; throws std::runtime_error.
  client(asio::io_context& io, Timers& timers, const std::vector<tcp::endpoint>& servers, const client_policy& policy,
         std::uint64_t seed);

  // Takes answers, and connects again whenever a connection is lost.
  void open();
  void close();
  // Ends once, at its deadline at the latest.
  awaitable<call_result> call(std::uint32_t value);

  const client_tally& tally() const { return tally_; }
  const token_budget& retries() const { return retries_; }
  const token_budget& hedges() const { return hedges_; }
  const std::deque<connection>& connections() const { return connections_; }

 private:
  using time_point = std::chrono::steady_clock::time_point;

  awaitable<void> keep(connection& link);
  // One request to server number `turn`, and perhaps a copy to the next.
  awaitable<attempt_result> attempt(std::uint32_t value, std::size_t turn, time_point limit);
  // When the copy is due, of a request sent now. Nothing: there shall be none.
  std::optional<time_point> hedge_time() const;
  // Servers take turns; those that are not connected miss theirs.
  connection& server(std::size_t turn);

  asio::io_context& io_;
  Timers& timers_;
  client_policy policy_;
  std::deque<connection> connections_;
  std::mt19937_64 random_;
  token_budget retries_;
  token_budget hedges_;
  recent_latency latency_;
  client_tally tally_;
  std::size_t turn_ = 0;
};

template <class Timers>
client<Timers>::client(asio::io_context& io, Timers& timers, const std::vector<tcp::endpoint>& servers,
                       const client_policy& policy, std::uint64_t seed)
    : io_(io),
      timers_(timers),
      policy_(policy),
      random_(seed),
      retries_(policy.retry_percent, policy.reserve),
      hedges_(policy.hedge_percent, policy.reserve),
      latency_(policy.hedge_percentile) {
  for (const tcp::endpoint& server : servers) connections_.emplace_back(io, server);
}

template <class Timers>
void client<Timers>::open() {
  for (connection& link : connections_) start(io_.get_executor(), keep(link));
}

template <class Timers>
void client<Timers>::close() {
  for (connection& link : connections_) link.close();
}

template <class Timers>
awaitable<void> client<Timers>::keep(connection& link) {
  detent::recipes::backoff pauses(policy_.pauses, random_());
  for (;;) {
    const bool served = co_await link.serve();
    if (link.closed()) co_return;
    if (served) pauses.reset();
    co_await timers_.sleep(pauses.next());
  }
}

template <class Timers>
awaitable<call_result> client<Timers>::call(std::uint32_t value) {
  hedges_.earn();
  return with_retries(
      timers_, policy_.retry, detent::recipes::backoff(policy_.pauses, random_()), retries_,
      [this, value, turn = turn_++](time_point limit) mutable { return attempt(value, turn++, limit); });
}

template <class Timers>
awaitable<attempt_result> client<Timers>::attempt(std::uint32_t value, std::size_t turn, time_point limit) {
  using alarm = typename Timers::alarm;
  ++tally_.attempts;
  const time_point sent = timers_.now();
  const mailbox events(io_);
  const alarm timeout(timers_, limit, events, event::timed_out);
  std::optional<alarm> hedge;
  if (const auto due = hedge_time(); due && *due < limit) hedge.emplace(timers_, *due, events, event::hedge_due);

  // Whichever of the two is not answered cancels itself in the end.
  connection& mine = server(turn);
  const connection::request first(mine, value, events, event::answered_first, event::lost_first);
  std::optional<connection::request> second;
  int under_way = 1;
  for (;;) {
    const event what = co_await events.next();
    switch (what) {
      case event::answered_first:
      case event::answered_second:
        if (what == event::answered_second) ++tally_.hedges_won;
        latency_.add(timers_.now() - sent);
        co_return attempt_result::answered;
      case event::hedge_due:
        if (connection& other = server(turn + 1); &other != &mine && hedges_.take()) {
          ++under_way;
          second.emplace(other, value, events, event::answered_second, event::lost_second);
        }
        break;
      case event::lost_first:
      case event::lost_second:
        if (--under_way > 0) break;
        ++tally_.disconnects;
        co_return attempt_result::disconnected;
      case event::timed_out: ++tally_.timeouts; co_return attempt_result::timed_out;
    }
  }
}

template <class Timers>
connection& client<Timers>::server(std::size_t turn) {
  for (std::size_t i = 0; i < connections_.size(); ++i) {
    connection& link = connections_[(turn + i) % connections_.size()];
    if (link.connected()) return link;
  }
  return connections_[turn % connections_.size()];
}

template <class Timers>
std::optional<std::chrono::steady_clock::time_point> client<Timers>::hedge_time() const {
  const auto usual = latency_.percentile();
  if (!policy_.hedge || connections_.size() < 2 || !usual || !hedges_.has()) return std::nullopt;
  return timers_.now() + std::chrono::duration_cast<std::chrono::nanoseconds>(*usual * policy_.hedge_factor);
}

}  // namespace rpc
