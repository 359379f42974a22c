// SPDX-License-Identifier: MIT
// The tree of decisions of a program that decides nothing else, walked depth first by running it again and again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace model {

class choices {
 public:
  // One of `count` ways, 0 first. Repeats what was decided on the way to the current leaf.
  unsigned choose(unsigned count);
  // Before each run.
  void rewind() { depth_ = 0; }
  // After a run: on to the next leaf; false when all have been visited.
  bool next();
  // Forgets everything; the next run takes this way, and way 0 beyond it.
  void follow(const std::vector<std::uint8_t>& way);
  // Returns whether a run since follow() was offered fewer ways than the one that it was to take.
  bool strayed() const { return strayed_; }

  // The decisions that were not way 0, as "depth:way,depth:way"; "0" for none of them.
  std::string text() const;
  static std::optional<std::vector<std::uint8_t>> parse(const std::string& text);

 private:
  struct decision {
    std::uint8_t way;
    std::uint8_t count;
  };
  std::vector<decision> path_;
  std::size_t depth_ = 0;
  bool strayed_ = false;
  bool following_ = false;
};

}  // namespace model
