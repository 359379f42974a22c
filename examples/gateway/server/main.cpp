// SPDX-License-Identifier: MIT
// A trading gateway: thousands of sessions and all their timers on one thread.
#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <detent/detent.hpp>

#include <cstdint>
#include <cstdio>
#include <ctime>
#include <exception>
#include <string>

#include "net/descriptor_limit.hpp"
#include "net/event_loop.hpp"
#include "net/stop_signals.hpp"
#include "server.hpp"

namespace {

struct options {
  std::uint16_t port = 0;
  std::size_t sessions = 5000;
  std::string counters;
};

// False: the books do not balance.
bool serve(const options& chosen) {
  net::allow_descriptors_for(chosen.sessions);
  detent::engine engine({.name = "gateway", .drive = detent::drive_kind::caller, .counters_file = chosen.counters});
  net::event_loop loop(engine);
  net::stop_signals stop(loop);
  gateway::server served(loop, chosen.port, chosen.sessions);
  fmt::print("gateway: port {}\n", served.port());
  std::fflush(stdout);

  while (!stop.came()) loop.turn();

  served.close("the gateway ends");
  loop.turn(net::event_loop::no_wait);  // the farewells, and the last drain of what was cancelled
  fmt::print("{}gateway: {:.1f} s of CPU time\n", served.account(),
             static_cast<double>(std::clock()) / static_cast<double>(CLOCKS_PER_SEC));
  if (served.balances()) return true;
  fmt::print(stderr, "gateway: the books do not balance; {} timers are left\n", engine.pending());
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(
      "A trading gateway on one thread: sessions over TCP, with heartbeats, silence and order expiry by detent.");
  options chosen;
  app.option_defaults()->always_capture_default();
  app.add_option("--port", chosen.port, "where to listen on 127.0.0.1; 0: any free port, which is printed");
  app.add_option("--sessions", chosen.sessions, "most sessions at once")->check(CLI::Range(1, 2'000'000'000));
  app.add_option("--counters", chosen.counters, "live counters for `detent top`: a file, or auto");
  CLI11_PARSE(app, argc, argv);
  try {
    return serve(chosen) ? 0 : 1;
  } catch (const std::exception& trouble) {
    fmt::print(stderr, "gateway: {}\n", trouble.what());
    return 1;
  }
}
