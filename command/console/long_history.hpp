// SPDX-License-Identifier: MIT
#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "console/history_file.hpp"
#include "console/kept_sample.hpp"
#include "page/console_view.hpp"

namespace detent::tool {

// Engines, sets and shards over an hour or so, in 360 steps, and the time since when each has been in trouble. At most
// 640 are kept, in about 9 MB. Further ones are left out, unless one that is gone can make room.
class long_history {
 public:
  struct change {  // not yet in the file
    std::size_t place;
    kept_engine engine;
    kept_sample sample;
  };

  explicit long_history(std::chrono::microseconds length) : length_(length) {}

  std::chrono::microseconds length() const { return length_; }
  // Takes over the history of an earlier console.
  void take_over(std::vector<history_file::contents> kept);
  // Returns whether a step has ended since the last take().
  bool is_due(console_time now) const { return step_at(now) != step_at(last_); }
  // Adds what the engines' own histories have gathered since the last call; they go back some minutes.
  void take(const std::vector<console_engine>& engines, console_time now);
  // Hands over the changes.
  std::vector<change> changes() { return std::exchange(changes_, {}); }

  // Returns the steps of one engine, by time. Empty if it is unknown.
  std::vector<console_sample> samples(std::string_view id, console_time now) const;
  // Returns since when its judgement has been as bad as it is now, or nothing if it is fine. A better judgement for
  // less than five minutes does not interrupt this, because the page counts faults for that long.
  std::optional<trouble_span> trouble(std::string_view id, console_time now) const;
  // Returns the engines that have not been read for more than a step, the latest first.
  std::vector<past_engine> past(console_time now) const;

 private:
  struct kept {
    std::size_t place = 0;
    kept_engine engine;
    std::vector<kept_sample> samples;  // by time
  };

  std::int64_t step_at(console_time time) const { return time.time_since_epoch() / step_of(length_); }
  void add(const console_engine& engine, console_time now);
  kept* kept_as(const console_engine& engine);
  void forget(console_time now);

  const std::chrono::microseconds length_;
  std::map<std::string, kept, std::less<>> known_;
  std::vector<bool> taken_ = std::vector<bool>(most_kept);  // by place
  console_time last_{};
  std::vector<change> changes_;
};

}  // namespace detent::tool
