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

// The engines of a host from reading to reading, with the last five minutes of each: an interval for each pair of
// readings, and a reading every half minute from which figures over the whole time are computed. Memory is bounded: at
// most 512 engines are kept. At most 64 of these have ended, and they are kept for at most five minutes and in at most
// 8 MB. Fewer large readings are kept, so that figures of large engines may cover only half the time. A set is kept
// with its shards.
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
  // An engine may have several names over time, and a file several engines.
  using key = std::tuple<std::string, std::int64_t>;                       // path, time of creation
  using set_key = std::tuple<std::int64_t, std::uint64_t, std::uint32_t>;  // process, its start time, number of the set
  struct known_engine {
    engine_reading now;
    std::deque<engine_reading> bases;  // oldest first
    std::deque<console_sample> samples;
    bool live = true, killed = false;  // killed: the process is gone although the engine has not ended
    console_time seen{};
    counters_snapshot change;  // in the last interval
    double seconds = 0;        // of that interval; 0 if there has been none
  };
  struct known_set {
    std::deque<console_sample> samples;
  };
  static key key_of(const engine_reading& reading);
  static set_key set_of(const engine_identity& identity);
  // Takes the time of the reading. The bases of all engines come from the same readings, so that a set's figures cover
  // one span.
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
  std::size_t bases_taken_ = 0, each_base_ = 1;  // one of this many bases is kept
  bool is_base_ = false;                         // this reading is a base
};

}  // namespace detent::tool
