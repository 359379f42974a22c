// SPDX-License-Identifier: MIT
// The timers of a chaos: what is asked of them, and when.
#pragma once

#include <detent/durable.hpp>

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace chaos {

struct load {
  std::size_t timers = 0;
  double seconds = 20;
  std::uint64_t seed = 1;
  std::int64_t begin = 0;  // us since 1970
  std::size_t recurring = 0;
  std::size_t killers = 0;  // so many timers kill the process that runs them
  bool keeps_late = false;  // puts that keep come as late as cancels, while the timer runs, and after a cancel

  std::int64_t end() const noexcept { return begin + static_cast<std::int64_t>(seconds * 1e6); }
};

enum class deed : std::uint8_t { put, cancel, restart };

// One call on the timers.
struct step {
  std::int64_t at;   // us since 1970, at the earliest
  std::uint64_t op;  // names it in the journal
  deed what;
  std::string key, partition;
  std::int64_t due = 0;
  const char* handler = "note";
  detent::durable::on_conflict conflict = detent::durable::on_conflict::keep;
  std::size_t size = 32;  // bytes of payload
  bool recurs = false;
};

// All steps in the order of their times. The same for the same load, so that a process goes on where the one before it
// was killed. Half of the timers are put at once and spread over all the time, the others while it passes, each within
// two seconds of its due time: beside the read level, and below it. Two of five share one of two instants. A hot
// partition has three of ten; the others have their keys in common with other partitions.
class planner {
 public:
  explicit planner(const load& of) : load_(of), random_(of.seed) {}
  std::vector<step> plan();

 private:
  std::int64_t part(double of) { return static_cast<std::int64_t>(any_(random_) * of); }
  step first_of(std::uint64_t number);
  void add_timer(std::uint64_t number);
  void add_changes(const step& first, std::uint64_t fate);
  void add_mixed(const step& first);
  void add(const step& like, std::int64_t at, deed what, std::int64_t due = 0);

  const load& load_;
  std::mt19937_64 random_;
  std::uniform_real_distribution<double> any_{0, 1};
  std::vector<step> steps_;
  std::uint64_t ops_ = 0;
};

}  // namespace chaos
