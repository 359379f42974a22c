// SPDX-License-Identifier: MIT
#include "cli/command_text.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <vector>

namespace detent::tool {
namespace {

using namespace std::chrono_literals;

TEST(CommandText, SaysEveryOptionThatDecidesWhatHappens) {
  run_command run;
  run.load.timers = 7;
  run.load.producers = 2;
  run.load.cancel = 0.25;
  run.load.delay = {1500us, 2s};
  run.load.length = 200ms;
  run.load.rate = 5;
  run.load.seed = 9;
  run.engine = {.wheel = "hashed", .wait = "sleep"};
  run.output = {.report = "r.html", .json = true};
  EXPECT_EQ(command_text(run),
            "detent run --timers 7 --producers 2 --cancel 0.25 --delay 1500us..2s --duration 200ms --rate 5 --seed 9 "
            "--wheel hashed --wait sleep");
  replay_command replay;
  replay.trace = "a b's.csv";
  replay.virtual_time = replay.to_end = true;
  EXPECT_EQ(command_text(replay), "detent replay 'a b'\\''s.csv' --virtual --to-end --wheel hierarchical");
  replay = {};
  replay.trace = "--x.csv";
  replay.speed = 0.5;
  EXPECT_EQ(command_text(replay), "detent replay ./--x.csv --speed 0.5 --wheel hierarchical --wait hybrid");
}

TEST(CommandText, ReadsBackAsTheSameCommand) {
  run_command run;
  run.load.delay = {1ns, 1234567ns};
  run.load.length = 1s;
  run.load.seed = ~std::uint64_t{0};
  const std::string text = command_text(run);
  std::vector<std::string> words;
  for (std::size_t at = 0; at != std::string::npos;) {
    const std::size_t space = text.find(' ', at);
    words.push_back(text.substr(at, space - at));
    at = space == std::string::npos ? space : space + 1;
  }
  std::vector<const char*> arguments;
  for (const std::string& word : words) arguments.push_back(word.c_str());
  const auto again = std::get<run_command>(parse_command_line(static_cast<int>(arguments.size()), arguments.data()));
  EXPECT_EQ(command_text(again), text);
  EXPECT_EQ(again.load.delay.most, 1234567ns);
  EXPECT_EQ(again.load.seed, ~std::uint64_t{0});
}

}  // namespace
}  // namespace detent::tool
