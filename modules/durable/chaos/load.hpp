// SPDX-License-Identifier: MIT
// The timers of a chaos: what is put, cancelled and restarted, when, and what their handlers do.
#pragma once

#include "journal.hpp"

#include <detent/durable.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

namespace chaos {

// The fate of a timer follows from its number; promises.py knows the same rule.
enum class fate { runs, fails_first, restarted, cancelled, recurs };
inline constexpr std::uint64_t first_recurring = 1'000'000'000;  // numbers from there on
fate fate_of(std::uint64_t number) noexcept;

struct load {
  std::size_t timers = 0;
  double seconds = 20;
  std::uint64_t seed = 1;
  std::int64_t begin = 0;  // us since 1970
  std::size_t recurring = 0;

  std::int64_t end() const noexcept { return begin + static_cast<std::int64_t>(seconds * 1e6); }
};

// Before start(): the handlers, which write a line for each run.
void handle(detent::durable::timers& timers, const load& of, const journal& book, const std::string& node);

// Puts all of it: half at once, spread over all the time, the others while it passes, each within two seconds of its
// due time: beside the read level, and below it. Of one that was killed amid this, the next goes on: what the journal
// has as stored is not put again, and what it has as asked for is not asked for again.
class putter {
 public:
  putter(detent::durable::timers& to, const load& of, const journal& book, const std::string& journal_path);
  void put_all();

 private:
  enum class deed { put, cancel, restart };
  struct step {
    std::int64_t at;
    deed what;
    std::uint64_t number;
    std::int64_t due;
  };

  std::vector<step> plan() const;
  void carry_out(const step& one);
  void put(const step& one);
  void cancel(const step& one);
  void restart(const step& one);

  detent::durable::timers& timers_;
  const load& load_;
  const journal& book_;
  std::unordered_set<std::uint64_t> stored_, asked_;  // by a process before this one
};

}  // namespace chaos
