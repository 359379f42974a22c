// SPDX-License-Identifier: MIT
// game_replay: plays a recorded match again, in virtual time, as fast as it goes.
#include "match/match.hpp"
#include "match/match_log.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <chrono>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <string>

namespace game {
namespace {

void replay(const std::string& log_path, const std::string& result_path) {
  std::ifstream in(log_path);
  if (!in) throw std::runtime_error(log_path + ": cannot be read");
  std::ofstream out(result_path, std::ios::trunc);
  if (!out) throw std::runtime_error(result_path + ": cannot be written");

  const auto begin = std::chrono::steady_clock::now();
  log_reader log(in, log_path);
  match again(log.seed(), out);
  while (const auto inputs = log.next_frame()) again.run_frame(*inputs);
  out.close();
  if (!out) throw std::runtime_error(result_path + ": could not be written whole");

  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  const std::chrono::duration<double> lasted = static_cast<std::int64_t>(again.frames()) * frame_length;
  fmt::print("{} frames, {:.1f} s of the match, again in {:.3f} s: {:.0f} times as fast\n", again.frames(),
             lasted.count(), took.count(), lasted / took);
}

}  // namespace
}  // namespace game

int main(int count, char** words) {
  std::string log, result = "replay.result";
  CLI::App app("Plays a recorded match again, in virtual time.");
  app.add_option("LOG", log, "The match.log of a game_server")->required();
  app.add_option("--result", result, "Where events and hashes go");
  CLI11_PARSE(app, count, words);
  try {
    game::replay(log, result);
  } catch (const std::exception& problem) {
    fmt::print(stderr, "game_replay: {}\n", problem.what());
    return 1;
  }
}
