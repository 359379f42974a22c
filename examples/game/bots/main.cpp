// SPDX-License-Identifier: MIT
// game_bots: clients for a game_server, with the faults that clients and networks have.
#include "bots/bot.hpp"
#include "bots/garbage.hpp"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <exception>
#include <memory>
#include <vector>

namespace game {
namespace {

struct command_line {
  std::uint16_t port = 0;
  int players = 50;
  double seconds = 10;
  std::uint64_t seed = 1;
  faults wrong;
};

void print_all(const bot_counts& of) {
  print_line("made", of.made);
  print_line("sent", of.sent);
  print_line("lost", of.lost);
  print_line("duplicated", of.duplicated);
  print_line("garbage", of.garbage);
  print_line("joined", of.joined);
  print_line("silences", of.silences);
  print_line("vanished", of.vanished);
  print_line("gone", of.gone);
  print_line("snapshots", of.snapshots);
  print_line("not_newer", of.not_newer);
  print_line("strange", of.strange);
}

void play(const command_line& given) {
  event_loop loop({.name = "bots"});
  bot_world world{.loop = loop,
                  .server = loopback(given.port),
                  .wrong = given.wrong,
                  .random = std::mt19937_64(given.seed),
                  .counts = {},
                  .snapshot_jitter = {}};
  std::vector<std::unique_ptr<bot>> bots;
  bots.reserve(static_cast<std::size_t>(given.players));
  for (int number = 0; number < given.players; ++number)
    bots.push_back(std::make_unique<bot>(world, number, given.players));
  const garbage_source garbage(world);
  loop.timers().schedule_after(std::chrono::round<detent::duration>(std::chrono::duration<double>(given.seconds)),
                               [&loop] { loop.stop(); });
  loop.run();
  for (const auto& one : bots) one->leave();
  print_all(world.counts);
  print_line("snapshot_jitter", world.snapshot_jitter);
}

}  // namespace
}  // namespace game

int main(int count, char** words) {
  game::command_line given;
  CLI::App app("Clients for a game_server on this machine, with the faults that clients and networks have.");
  app.add_option("--port", given.port, "The server's")->required()->check(CLI::Range(1, 65535));
  app.add_option("--players", given.players, "How many")->check(CLI::Range(1, 1000));
  app.add_option("--seconds", given.seconds, "How long")->check(CLI::PositiveNumber);
  app.add_option("--seed", given.seed, "Of what the bots and their faults leave to chance");
  app.add_option("--loss", given.wrong.loss, "Percent of the datagrams that get lost")->check(CLI::Range(0, 100));
  app.add_option("--duplicates", given.wrong.duplicates, "Percent that arrive twice")->check(CLI::Range(0, 100));
  app.add_option("--garbage", given.wrong.garbage, "Meaningless datagrams a second")->check(CLI::Range(0, 100'000));
  app.add_flag("--vanish", given.wrong.vanish, "Every eighth falls silent now and then, without a word");
  app.add_flag("--pauses", given.wrong.pauses, "Every tenth asks for pause and resumption all the time");
  CLI11_PARSE(app, count, words);
  try {
    game::play(given);
  } catch (const std::exception& problem) {
    fmt::print(stderr, "game_bots: {}\n", problem.what());
    return 1;
  }
}
