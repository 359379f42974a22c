// SPDX-License-Identifier: MIT
// A recorded match played again is the same match; another recording is another.
#include "match/match_log.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <stdexcept>
#include <vector>

#include "product/examples/game/played_match.hpp"

namespace game {
namespace {

constexpr int players = 20;

input any_input(std::mt19937_64& random) {
  const auto below = [&random](int bound) { return static_cast<int>(random() % static_cast<unsigned>(bound)); };
  input one{.player = below(players)};
  switch (below(40)) {
    case 0: one.what = action::pause; break;
    case 1: one.what = action::resume; break;
    case 2: one.what = action::leave; break;
    case 3: one.what = action::away; break;
    case 4:
    case 5: one.what = action::back; break;
    case 6:
    case 7:
    case 8: one.what = action::join; break;
    case 9: one.what = action::shield; break;
    default:
      one = below(2) == 0 ? input{one.player, action::strike, below(players), 0}
                          : input{one.player, action::move, below(3) - 1, below(3) - 1};
  }
  return one;
}

// Somebody goes for a neighbour.
input attack(const match& live, std::mt19937_64& random) {
  const int number = static_cast<int>(random() % players), other = number ^ 1;
  const player *me = live.find(number), *enemy = live.find(other);
  if (!me || !enemy) return {.player = number, .what = action::join};
  if (std::max(std::abs(me->x - enemy->x), std::abs(me->y - enemy->y)) <= rules::reach)
    return {.player = number, .what = action::strike, .first = other};
  const auto sign = [](int value) { return (value > 0) - (value < 0); };
  return {.player = number, .what = action::move, .first = sign(enemy->x - me->x), .second = sign(enemy->y - me->y)};
}

// A match of inputs by chance, as a server would record it.
std::string recorded(std::uint64_t seed, int frames, std::string& result) {
  std::mt19937_64 random(seed);
  std::ostringstream log, out;
  log_writer writer(log, seed);
  match live(seed, out);
  std::vector<input> inputs;
  for (int number = 0; number < players; ++number) inputs.push_back({.player = number, .what = action::join});
  for (int frame = 1; frame <= frames; ++frame) {
    writer.frame(live.frames() + 1, inputs);
    live.run_frame(inputs);
    inputs.clear();
    for (auto more = random() % 8; more > 0; --more) inputs.push_back(attack(live, random));
    if (random() % 4 == 0) inputs.push_back(any_input(random));
  }
  writer.end(live.frames());
  result = out.str();
  return log.str();
}

std::string replayed(const std::string& text) {
  std::istringstream in(text);
  std::ostringstream out;
  log_reader log(in, "a.log");
  match again(log.seed(), out);
  while (const auto inputs = log.next_frame()) again.run_frame(*inputs);
  return out.str();
}

// The beginning of the first line that is not in both; npos: there is none.
std::size_t first_difference(const std::string& one, const std::string& other) {
  if (one == other) return std::string::npos;
  const auto shorter = std::min(one.size(), other.size());
  const auto at = std::mismatch(one.begin(), one.begin() + static_cast<std::ptrdiff_t>(shorter), other.begin()).first;
  const auto line = std::find(std::make_reverse_iterator(at), one.rend(), '\n').base();
  return static_cast<std::size_t>(line - one.begin());
}

std::string refusal(const std::string& text) {
  try {
    replayed(text);
  } catch (const std::runtime_error& problem) {
    return problem.what();
  }
  return "";
}

TEST(GameRecording, GivesTheSameMatchByteForByte) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    std::string live;
    const std::string log = recorded(seed, 1200, live);
    EXPECT_NE(live.find(" dies of "), std::string::npos) << "seed " << seed;
    EXPECT_EQ(first_difference(replayed(log), live), std::string::npos) << "seed " << seed;
  }
}

TEST(GameRecording, OfAnotherSeedIsAnotherMatch) {
  std::string live;
  std::string log = recorded(1, 600, live);
  log.replace(log.find("seed 1\n"), 7, "seed 2\n");
  EXPECT_NE(first_difference(replayed(log), live), std::string::npos);
}

TEST(GameRecording, WithoutOneOfItsStrikesIsAnotherMatch) {
  std::string live;
  std::string log = recorded(1, 600, live);
  const auto struck = live.find(" strikes p", live.size() / 2);
  ASSERT_NE(struck, std::string::npos);
  std::istringstream by(live.substr(live.rfind('p', struck) + 1)), whom(live.substr(struck + 10)),
      when(live.substr(live.find("\nframe ", struck) + 7));
  int striker = 0, victim = 0, frame = 0;
  by >> striker;
  whom >> victim;
  when >> frame;
  std::ostringstream line;
  line << frame << ' ' << striker << " strike " << victim << '\n';
  ASSERT_NE(log.find(line.str()), std::string::npos) << line.str();
  while (log.find(line.str()) != std::string::npos) log.erase(log.find(line.str()), line.str().size());
  EXPECT_EQ(first_difference(replayed(log), live), live.rfind('\n', struck) + 1);
}

TEST(GameRecording, IsRefusedByLineWhereItIsNone) {
  const std::string head = "detent game log 1\nseed 1\n";
  EXPECT_EQ(refusal(head + "1 0 join\nend 3\n"), "");
  EXPECT_EQ(refusal("something else\n"), "a.log:1: not 'detent game log 1'");
  EXPECT_EQ(refusal("detent game log 1\nseed -1\n"), "a.log:2: not 'seed NUMBER'");
  EXPECT_EQ(refusal(head + "1 0 join\n"), "a.log:4: no 'end' before the end of the file: the recording is not whole");
  EXPECT_EQ(refusal(head + "1 0 dance\nend 3\n"), "a.log:3: '1 0 dance' is neither an input nor the end");
  for (const char* line : {"1 128 join", "1 -1 join", "1 0 move 2 0", "1 0 move 1", "1 0 strike 128", "1 0 join 1",
                           "x 0 join", "1", "", "end", "end x", "18446744073709551616 0 join"})
    EXPECT_NE(refusal(head + line + "\nend 3\n"), "") << line;
  EXPECT_EQ(refusal(head + "2 0 join\n1 0 leave\nend 3\n"), "a.log:4: '1 0 leave' is of a frame before");
  EXPECT_EQ(refusal(head + "2 0 join\nend 1\n"), "a.log:4: 'end 1' is of a frame before");
  EXPECT_EQ(refusal(head + "0 0 join\nend 1\n"), "a.log:3: '0 0 join' is of a frame before");
  EXPECT_EQ(refusal(head + "1 0 join\nend 1\n2 0 leave\n"), "a.log:4: something follows the end");
}

TEST(GameRecording, WritesEachInputAsItReadsIt) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 1000; ++i) {
    const input one = any_input(random);
    EXPECT_EQ(input_from(to_text(one)), one) << to_text(one);
  }
}

}  // namespace
}  // namespace game
