// SPDX-License-Identifier: MIT
#include "cli/command_text.hpp"

#include <gtest/gtest.h>

#include <chrono>

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

}  // namespace
}  // namespace detent::tool
