// SPDX-License-Identifier: MIT
// A server that takes its time: answers after a random delay, drops some requests, stalls on others.
#include "session.hpp"

#include <detent/asio.hpp>

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <csignal>
#include <cstdio>
#include <exception>

namespace {

using namespace std::chrono_literals;

struct server_options {
  std::uint16_t port = 0;
  std::uint64_t seed = 1;
  rpc::answer_policy answers;
};

rpc::awaitable<void> serve(rpc::tcp::socket client, detent::engine& engine, rpc::answer_times& times,
                           rpc::server_tally& tally) {
  rpc::error_code ignored;  // the client may have gone
  client.set_option(rpc::tcp::no_delay(true), ignored);
  rpc::session session(std::make_shared<rpc::frame_socket>(std::move(client)), engine, times, tally);
  co_await session.serve();
}

rpc::awaitable<void> accept(rpc::tcp::acceptor& door, detent::engine& engine, rpc::answer_times& times,
                            rpc::server_tally& tally) {
  for (;;) {
    rpc::tcp::socket client = co_await door.async_accept(rpc::use_awaitable);
    rpc::start(door.get_executor(), serve(std::move(client), engine, times, tally));
  }
}

// Until SIGTERM or SIGINT.
void run(const server_options& options, rpc::server_tally& tally) {
  rpc::answer_times times(options.answers, options.seed);
  rpc::asio::io_context io(1);
  // Answers may be a millisecond late, so those of one millisecond share a wake-up and a handler, and nobody spins.
  detent::engine engine({.name = "rpc_server",
                         .tick = 1ms,
                         .wait = detent::wait_options::sleep(),
                         .executor = detent::asio_executor(io.get_executor(), 64)});
  rpc::tcp::acceptor door(io, {rpc::asio::ip::address_v4::loopback(), options.port});
  rpc::asio::signal_set signals(io, SIGTERM, SIGINT);
  signals.async_wait([&io](rpc::error_code, int) { io.stop(); });
  rpc::start(io.get_executor(), accept(door, engine, times, tally));

  fmt::print("listening on 127.0.0.1:{}, seed {}\n", door.local_endpoint().port(), options.seed);
  std::fflush(stdout);
  io.run();
}

}  // namespace

int main(int count, char** words) {
  server_options options;
  CLI::App app("An RPC server that answers after a random delay. SIGTERM ends it, and it says what it did.");
  app.add_option("--port", options.port, "Of 127.0.0.1; 0: any")->capture_default_str();
  app.add_option("--median-ms", options.answers.median_ms, "Of the delay")
      ->check(CLI::Range(0.001, 1e6))
      ->capture_default_str();
  app.add_option("--spread", options.answers.spread, "Sigma of the delay's logarithm")
      ->check(CLI::Range(0.001, 3.0))
      ->capture_default_str();
  app.add_option("--drop", options.answers.drop, "Share never answered")->check(CLI::Range(0.0, 1.0));
  app.add_option("--stall", options.answers.stall, "Share answered late")->check(CLI::Range(0.0, 1.0));
  app.add_option("--stall-ms", options.answers.stall_ms, "How late")
      ->check(CLI::Range(0.001, 1e6))
      ->capture_default_str();
  app.add_option("--seed", options.seed, "Of what is random")->capture_default_str();
  CLI11_PARSE(app, count, words);
  try {
    rpc::server_tally tally;
    run(options, tally);
    fmt::print("received {} answered {} dropped {} cancelled {} unanswered {}\n", tally.received, tally.answered,
               tally.dropped, tally.cancelled, tally.unanswered);
    return 0;
  } catch (const boost::system::system_error& problem) {
    fmt::print(stderr, "rpc_server: port {}: {}\n", options.port, problem.code().message());
    return 1;
  } catch (const std::exception& problem) {
    fmt::print(stderr, "rpc_server: {}\n", problem.what());
    return 1;
  }
}
