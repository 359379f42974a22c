// SPDX-License-Identifier: MIT
// The recording of a match: its seed, and each input with the number of the frame in which it took effect.
//
//     detent game log 1
//     seed 42
//     1 0 join
//     7 0 move 1 0
//     end 300
#pragma once

#include "match/input.hpp"

#include <cstdint>
#include <istream>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <vector>

namespace game {

class log_writer {
 public:
  log_writer(std::ostream& out, std::uint64_t seed);
  void frame(std::uint64_t number, std::span<const input> inputs);
  void end(std::uint64_t last_frame);

 private:
  std::ostream& out_;
};

// Throws std::runtime_error that names the line, where something is no log.
class log_reader {
 public:
  log_reader(std::istream& in, std::string name);
  std::uint64_t seed() const noexcept { return seed_; }
  // The inputs of the next frame, valid until the next call; none after the last frame.
  std::optional<std::span<const input>> next_frame();

 private:
  // A line that was read ahead: an input of that frame, or the end.
  struct entry {
    std::uint64_t frame = 0;
    std::optional<input> what;
  };
  std::string next_line();
  entry read_entry();
  [[noreturn]] void refuse(const std::string& why) const;

  std::istream& in_;
  std::string name_;
  std::uint64_t seed_ = 0, line_ = 0, frame_ = 0;
  entry ahead_;
  std::vector<input> inputs_;
};

}  // namespace game
