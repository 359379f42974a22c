// SPDX-License-Identifier: MIT
#include "search/poll_walks/generate.hpp"
#include "search/poll_walks/shrink.hpp"
#include "search/poll_walks/walk.hpp"

#include <chrono>
#include <cstring>

#include "support/platform/time_limit.hpp"

namespace detent::poll_walks {
namespace {

// The processor time that a walk may take. Nearly all take some milliseconds; one of 4,000 timers takes ten seconds, as
// the specification goes through all of them for each turn.
constexpr int most_seconds = 60;

// Nothing that has failed is taken apart. True: it kept all promises.
bool play(const program& of, test::walk_report& into) {
  test::limit_processor_time(most_seconds);
  walk* const plays = new walk(of.made_with);
  const std::string failure = plays->play(of);
  if (failure.empty()) {
    delete plays;
    ++into.clean;
    return true;
  }
  std::strncpy(into.why, failure.c_str(), sizeof into.why - 1);
  return false;
}

}  // namespace

std::string failure_of(const program& of) {
  return test::walk_in_child(test::out_of_time, [&of](test::walk_report& into) { play(of, into); }).why;
}

test::walk_outcome search(std::uint64_t first, std::uint64_t most, double seconds, const avoided& without) {
  using clock = std::chrono::steady_clock;
  const auto end = clock::now() + std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(seconds));
  return test::walk_in_child(test::out_of_time, [&](test::walk_report& into) {
    while (into.clean < most && clock::now() < end && play(generate(first + into.clean, without), into)) {
    }
  });
}

}  // namespace detent::poll_walks
