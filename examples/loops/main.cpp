// SPDX-License-Identifier: MIT
// The server, its clients, and what came of it: with one loop, then with several. Exit status 0: every promise held.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <exception>
#include <random>

#include "clients.hpp"
#include "server.hpp"

namespace {

using namespace std::chrono_literals;

// Percent of the answers that were late.
double share(const loops::answer_counts& of) {
  return of.answered == 0 ? 0 : 100.0 * static_cast<double>(of.late) / static_cast<double>(of.answered);
}

struct outcome {
  loops::client_counts clients;
  loops::answer_counts stuck;       // of sessions whose loop has the stuck callback
  loops::answer_counts through_it;  // of other sessions, requests that its socket received
  loops::answer_counts others;      // the rest
  std::uint64_t crossed = 0;
};

void add(loops::answer_counts& to, const loops::answer_counts& more) {
  to.answered += more.answered;
  to.late += more.late;
  to.disorder += more.disorder;
  to.strangers += more.strangers;
  to.worst = std::max(to.worst, more.worst);
}

outcome play(const loops::server_options& options, std::chrono::milliseconds length, std::uint64_t seed) {
  loops::server server(options);
  outcome seen;
  seen.clients = loops::ask(server.port(), options.sessions, length, seed);
  server.stop();
  for (std::size_t i = 0; i < options.loops; ++i) {
    const bool is_stuck = i == server.loop_of(0);
    add(is_stuck ? seen.stuck : seen.through_it, server.counts(i, true));
    add(is_stuck ? seen.stuck : seen.others, server.counts(i, false));
  }
  seen.crossed = server.crossed();
  return seen;
}

void print(const char* what, const loops::answer_counts& of) {
  fmt::print("  {:<28}{:>7} answers, {:5.2f} % of them late by more than {} ms, the worst by {:.1f} ms\n", what,
             of.answered, share(of), loops::late_from / 1ms, static_cast<double>(of.worst.count()) / 1e6);
}

bool promise(bool held, const char* what) {
  if (!held) fmt::print("BROKEN: {}\n", what);
  return held;
}

bool check(const outcome& seen) {
  loops::answer_counts all = seen.stuck;
  add(all, seen.through_it);
  add(all, seen.others);
  // Not &&, so that each broken promise is named.
  bool held = promise(seen.clients.answered == seen.clients.asked, "every request is answered");
  held &= promise(seen.clients.twice == 0, "none twice");
  held &= promise(all.answered == seen.clients.asked, "each by one callback");
  held &= promise(all.strangers == 0, "a session's callbacks run on its loop alone");
  held &= promise(all.disorder == 0, "a session's callbacks run in the order of their deadlines");
  return held;
}

struct comparison {
  bool held;  // the promises that hold on any machine
  bool half;  // and the one about lateness, which needs a processor that is free
};

comparison compare(std::size_t loops, std::size_t sessions, std::chrono::milliseconds length, std::uint64_t seed) {
  const outcome one = play({.loops = 1, .sessions = sessions}, length, seed);
  fmt::print("one loop\n");
  print("all sessions", one.stuck);
  const outcome many = play({.loops = loops, .sessions = sessions}, length, seed);
  fmt::print("{} loops, {} of {} requests came to another loop than their session's\n", loops, many.crossed,
             many.clients.asked);
  print("sessions of the stuck loop", many.stuck);
  print("others, received by it", many.through_it);
  print("others, received by others", many.others);
  bool held = check(one);
  held &= check(many);
  held &= promise(many.crossed != 0, "there are timers from loop to loop");
  return {held, 2 * share(many.others) < share(one.stuck)};
}

int run(std::size_t loops, std::size_t sessions, double seconds, std::uint64_t seed) {
  const auto length = std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1e3));
  fmt::print("seed {}, {} sessions; session 0 blocks its loop for 100 ms each half second\n", seed, sessions);
  comparison seen{true, false};
  for (int times = 0; times < 3 && seen.held && !seen.half; ++times) {
    if (times != 0) fmt::print("the others were late, too, as on a machine that has no processor free: once more\n");
    seen = compare(loops, sessions, length, seed);
  }
  const bool held =
      promise(seen.half,
              "what has nothing to do with the stuck loop is late half as often as with one loop, at most") &&
      seen.held;
  if (held) fmt::print("all promises held\n");
  return held ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("A thread-per-core server on a sharded_engine, and its clients.");
  std::size_t loops = 4, sessions = 64;
  double seconds = 5;
  std::uint64_t seed = std::random_device{}();
  app.add_option("--loops", loops, "Threads, each with a loop, a socket and a shard")->check(CLI::Range(2, 64));
  app.add_option("--sessions", sessions, "Sessions")->check(CLI::Range(2, 100'000));
  app.add_option("--seconds", seconds, "How long the clients ask, with one loop and with many")
      ->check(CLI::Range(0.5, 3600.0));
  app.add_option("--seed", seed, "Of what the clients ask for");
  CLI11_PARSE(app, argc, argv);
  try {
    return run(loops, sessions, seconds, seed);
  } catch (const std::exception& problem) {
    fmt::print(stderr, "loops: {}\n", problem.what());
    return 1;
  }
}
