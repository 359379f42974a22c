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

// Engines, sets and shards over an hour or so, in 360 steps, and since when each has been in trouble. Bounded: 640 of
// them, about 9 MB. Those beyond that are left out; one that is gone makes room for a new one.
class long_history {
 public:
  struct change {  // that a file does not have yet
    std::size_t place;
    kept_engine engine;
    kept_sample sample;
  };

  explicit long_history(std::chrono::microseconds length) : length_(length) {}

  std::chrono::microseconds length() const { return length_; }
  // What an earlier console has kept.
  void take_over(std::vector<history_file::contents> kept);
  // Whether a step has ended since the last take().
  bool is_due(console_time now) const { return step_at(now) != step_at(last_); }
  // Adds what the engines' own histories have of the time since the last call, at most some minutes.
  void take(const std::vector<console_engine>& engines, console_time now);
  // Hands over what has changed.
  std::vector<change> changes() { return std::exchange(changes_, {}); }

  // The steps of one, by time; empty: it is not known.
  std::vector<console_sample> samples(std::string_view id, console_time now) const;
  // Since when its judgement has been as bad as it is; none: it is fine. A better judgement of less than five minutes
  // is no end, as that is how long the page counts what went wrong.
  std::optional<trouble_span> trouble(std::string_view id, console_time now) const;
  // Those that have not been read for more than a step, the latest first.
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
  std::vector<bool> taken_ = std::vector<bool>(most_kept);  // places
  console_time last_{};
  std::vector<change> changes_;
};

}  // namespace detent::tool
