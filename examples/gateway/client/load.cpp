// SPDX-License-Identifier: MIT
#include "load.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <optional>
#include <random>

#include "bare_sleep.hpp"
#include "crowd.hpp"
#include "drop_copy.hpp"
#include "faults.hpp"
#include "net/descriptor_limit.hpp"
#include "net/stop_signals.hpp"
#include "report.hpp"

namespace load {

using namespace std::chrono_literals;

namespace {

constexpr auto pace = 1ms;  // orders are sent in each
constexpr std::uint64_t paces_a_second = 1000;
constexpr auto patience = 30s;  // until all is settled

// The orders of all sessions, at an even rate.
class trading {
 public:
  trading(crowd& traders, detent::engine& engine)
      : traders_(traders),
        timer_(engine.schedule_at_fixed_rate(pace, pace, [this](detent::firing& run) { trade(run.missed() + 1); })) {}

 private:
  void trade(std::uint64_t paces) {
    owed_ += paces * traders_.chosen().orders_a_second;
    for (; owed_ >= paces_a_second; owed_ -= paces_a_second) {
      if (client_session* const one = traders_.any()) one->trade(traders_.chance());
    }
  }

  crowd& traders_;
  std::uint64_t owed_ = 0;  // orders times paces_a_second
  detent::scoped_timer timer_;
};

// Turns the loop until done() is true, but no longer than `most`. False: it was not.
template <class Done>
bool turn_until(net::event_loop& loop, detent::duration most, Done done) {
  bool over = false;
  detent::scoped_timer limit(loop.engine().schedule_after(most, [&over] { over = true; }));
  while (!over && !done()) loop.turn();
  return done();
}

}  // namespace

bool run(const options& chosen) {
  net::allow_descriptors_for(chosen.sessions);
  const std::uint64_t seed = chosen.seed != 0 ? chosen.seed : std::random_device()();
  detent::engine engine({.name = "load", .drive = detent::drive_kind::caller});
  net::event_loop loop(engine);
  const net::stop_signals stop(loop);
  crowd clients(loop, chosen, seed);
  drop_copy copy(clients, loop);
  const findings& found = clients.found();

  clients.open();
  const auto all_on = [&] { return clients.complete() && copy.is_on(); };
  turn_until(loop, chosen.interval + patience, [&] { return all_on() || found.count() > 0 || stop.came(); });
  if (!all_on()) {
    fmt::print(stderr, "client: not all sessions could log on: {} of {} did\n", clients.counts().logons,
               chosen.sessions);
    return false;
  }
  fmt::print("client: {} sessions logged on, seed {}\n", chosen.sessions, seed);
  std::fflush(stdout);

  clients.measured().begin();
  bare_sleep bare;
  faults trouble(clients, engine);
  {
    trading orders(clients, engine);
    turn_until(loop, chosen.time, [&] { return stop.came(); });
  }
  trouble.end();
  const auto settled = [&] { return clients.settled() && !trouble.frozen(); };
  if (!turn_until(loop, patience, settled))
    clients.found().broken("after {} s not everything was settled", patience / 1s);
  clients.orders().close();
  samples floor = bare.take();
  fmt::print("{}", report(clients, trouble.freezes(), floor));
  return found.count() == 0;
}

}  // namespace load
