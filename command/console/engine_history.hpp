// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <deque>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "page/console_view.hpp"
#include "top/top_model.hpp"

namespace detent::tool {

// The engines of a host from one reading to the next, and the last five minutes of each: an interval for each pair of
// readings, and a reading every half minute, which figures over the whole time begin with. Memory is bounded: there are
// at most 512 engines, of which at most 64 have ended, and those for no longer than five minutes and no more than 8 MB.
// Fewer large readings are kept, so that their figures may cover half the time only. A set is kept with its shards.
class engine_history {
 public:
  // `now` is the wall-clock time at `read_at` of the readings, which is CLOCK_MONOTONIC.
  void take(host_reading reading, console_time now);

  // Sets as one, with their shards.
  std::vector<console_engine> engines() const;
  // The troubles of the last reading, or the first of very many. Files of processes that are gone share one line.
  const std::vector<std::string>& troubles() const { return troubles_; }

  static constexpr double window = 300;  // seconds

 private:
  // One engine has several names over time, and a file several engines.
  using key = std::tuple<std::string, std::int64_t>;                       // path, made at
  using set_key = std::tuple<std::int64_t, std::uint64_t, std::uint32_t>;  // process, its start, number of the set
  struct known_engine {
    engine_reading now;
    std::deque<engine_reading> bases;  // the oldest first
    std::deque<console_sample> samples;
    bool live = true, killed = false;  // killed: its process is gone, and the engine has not ended
    console_time seen{};
    counters_snapshot change;  // in the last interval
    double seconds = 0;        // its length; 0: there has been none
  };
  struct known_set {
    std::deque<console_sample> samples;
  };
  static key key_of(const engine_reading& reading);
  static set_key set_of(const engine_identity& identity);
  // Engines have their bases of the same readings: a set's figures are of one time.
  void take_time(const host_reading& reading);
  void update(known_engine& engine, engine_reading reading, console_time now) const;
  static console_engine shown(const known_engine& engine);
  console_engine shown_set(const std::vector<const known_engine*>& shards) const;
  void add_set_samples(console_time now);
  void note(std::vector<std::string> troubles, std::vector<left_file> left);
  void forget(console_time now);

  std::map<key, known_engine> engines_;
  std::map<set_key, known_set> sets_;
  std::vector<std::string> troubles_;
  std::int64_t base_read_at_ = 0;
  std::size_t bases_taken_ = 0, each_base_ = 1;  // of so many bases one is kept
  bool is_base_ = false;                         // this reading is one
};

}  // namespace detent::tool
