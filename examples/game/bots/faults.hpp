// SPDX-License-Identifier: MIT
// What the bots do wrong on purpose.
#pragma once

#include <cstdint>

namespace game {

struct faults {
  double loss = 0;        // of the datagrams to the server, percent
  double duplicates = 0;  // likewise
  int garbage = 0;        // datagrams of random bytes a second
  bool vanish = false;    // every eighth bot falls silent now and then, without a word
  bool pauses = false;    // every tenth bot asks for pause and resumption without end
};

struct bot_counts {
  std::uint64_t made = 0;  // inputs
  std::uint64_t sent = 0;  // datagrams
  std::uint64_t lost = 0;
  std::uint64_t duplicated = 0;
  std::uint64_t garbage = 0;
  std::uint64_t joined = 0;
  std::uint64_t silences = 0;  // longer than a server should mind, on purpose or not
  std::uint64_t vanished = 0;  // on purpose
  std::uint64_t gone = 0;      // thrown out, the server said
  std::uint64_t snapshots = 0;
  std::uint64_t not_newer = 0;  // snapshots of a frame that was seen already
  std::uint64_t strange = 0;    // datagrams that no server sends
};

}  // namespace game
