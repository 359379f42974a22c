// SPDX-License-Identifier: MIT
// game_server: plays a match with the clients of game_bots, until SIGTERM or SIGINT, and records it.
#include "server/bare_sleeper.hpp"
#include "server/game_server.hpp"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <string>

namespace game {
namespace {

struct command_line {
  server_options server;
  std::string log = "match.log";
  std::string result = "match.result";
  std::string counters;
  double seconds = 0;
};

std::ofstream open(const std::string& path) {
  std::ofstream file(path, std::ios::trunc);
  if (!file) throw std::runtime_error(path + ": cannot be written");
  return file;
}

void close(std::ofstream& file, const std::string& path) {
  file.close();
  if (!file) throw std::runtime_error(path + ": could not be written whole");
}

void play(const command_line& given) {
  std::ofstream log = open(given.log), result = open(given.result);
  event_loop loop({.name = "game", .counters_file = given.counters});
  game_server server(loop, given.server, log, result);
  if (given.seconds > 0)
    loop.timers().schedule_after(std::chrono::round<detent::duration>(std::chrono::duration<double>(given.seconds)),
                                 [&loop] { loop.stop(); });
  bare_sleeper compared;
  print_line("port", server.port());
  std::fflush(stdout);
  loop.run();

  server.finish();
  close(log, given.log);
  close(result, given.result);
  print_all(server.counts());
  print_line("nanosleep_lateness", compared.stop());
  print_line("frames", server.played().frames());
  const detent::engine_metrics timers = server.played().timer_counts();
  print_line("timers_scheduled", timers.scheduled);
  print_line("timers_fired", timers.fired);
  print_line("timers_cancelled", timers.cancelled);
}

}  // namespace
}  // namespace game

int main(int count, char** words) {
  game::command_line given;
  CLI::App app("Plays a match with the clients that come, until SIGTERM or SIGINT, and records it.");
  app.add_option("--port", given.server.port, "UDP port on the loopback interface; 0: any, which the first line names");
  app.add_option("--players", given.server.players, "At most so many")->check(CLI::Range(1, game::most_players));
  app.add_option("--seed", given.server.seed, "Of the match's random numbers");
  app.add_option("--catch-up", given.server.catch_up, "Most frames that one tick runs for those that were missed");
  app.add_option("--log", given.log, "Where the inputs go");
  app.add_option("--result", given.result, "Where events and hashes go");
  app.add_option("--counters", given.counters, "File for the counters of the loop's engine; auto: for `detent top`");
  app.add_option("--seconds", given.seconds, "Ends after so long; 0: on a signal only")->check(CLI::NonNegativeNumber);
  CLI11_PARSE(app, count, words);
  try {
    game::play(given);
  } catch (const std::exception& problem) {
    fmt::print(stderr, "game_server: {}\n", problem.what());
    return 1;
  }
}
