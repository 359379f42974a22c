// SPDX-License-Identifier: MIT
// Datagrams of the example come back as they were, and nothing else is taken for one.
#include "net/wire.hpp"

#include "match/rules.hpp"

#include <gtest/gtest.h>

#include <random>

namespace game::wire {
namespace {

std::vector<datagram> one_of_each() {
  return {
      hello{},
      welcome{.key = 0x0123456789abcdef, .player = 127},
      inputs{.key = UINT64_MAX,
             .newest = 3,
             .last = {{.what = action::move, .first = -1, .second = 1}, {.what = action::strike, .first = 127}}},
      bye{.key = 1},
      unknown{.key = 2},
      snapshot{.frame = 0xfedcba98, .paused = true, .players = {{5, 255, 100, -7, 1023}, {6, 0, 0, 32767, -32768}}}};
}

std::vector<std::byte> bytes_of(const datagram& of) {
  std::vector<std::byte> bytes;
  encode(of, bytes);
  return bytes;
}

TEST(GameWire, EachDatagramComesBackAsItWas) {
  for (const datagram& sent : one_of_each()) {
    const auto bytes = bytes_of(sent);
    const auto read = decode(bytes);
    ASSERT_TRUE(read) << sent.index();
    EXPECT_EQ(read->index(), sent.index());
    EXPECT_EQ(bytes_of(*read), bytes);
  }
  const auto read = decode(bytes_of(one_of_each()[2]));
  EXPECT_EQ(std::get<inputs>(*read).last, std::get<inputs>(one_of_each()[2]).last);
}

TEST(GameWire, WhatIsTooShortOrTooLongIsNone) {
  for (const datagram& sent : one_of_each()) {
    auto bytes = bytes_of(sent);
    for (std::size_t length = 0; length < bytes.size(); ++length)
      EXPECT_FALSE(decode(std::span(bytes).first(length))) << sent.index() << ", " << length << " bytes";
    bytes.push_back(std::byte{0});
    EXPECT_FALSE(decode(bytes)) << sent.index();
  }
}

TEST(GameWire, AClientCannotSendWhatOnlyTheServerMayMake) {
  for (const action what : {action::join, action::away, action::back, action::leave}) {
    EXPECT_FALSE(decode(bytes_of(inputs{.key = 1, .newest = 1, .last = {{.what = what}}}))) << static_cast<int>(what);
  }
  EXPECT_FALSE(decode(bytes_of(inputs{.key = 1, .newest = 1, .last = {{.what = action::move, .first = 2}}})));
  EXPECT_FALSE(decode(bytes_of(inputs{.key = 1, .newest = 1, .last = {}})));
  EXPECT_FALSE(decode(bytes_of(inputs{.key = 1, .newest = 1, .last = std::vector<input>(2)})))
      << "more than there were";
  EXPECT_FALSE(decode(bytes_of(inputs{.key = 1, .newest = 9, .last = std::vector<input>(most_inputs + 1)})));
}

TEST(GameWire, WhateverArrivesWhatIsReadIsPossible) {
  std::random_device entropy;
  const unsigned seed = entropy();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  const auto samples = one_of_each();
  int taken = 0;
  for (int i = 0; i < 100'000; ++i) {
    auto bytes = bytes_of(samples[random() % samples.size()]);
    for (auto changes = random() % 4; changes > 0; --changes)
      bytes[random() % bytes.size()] = static_cast<std::byte>(random() & 0xff);
    const auto read = decode(bytes);
    taken += read.has_value();
    if (!read || !std::holds_alternative<inputs>(*read)) continue;
    for (const input& one : std::get<inputs>(*read).last) {
      EXPECT_TRUE(is_possible(one));
      EXPECT_TRUE(is_of_a_client(one.what));
    }
  }
  EXPECT_GT(taken, 1000);
}

}  // namespace
}  // namespace game::wire
