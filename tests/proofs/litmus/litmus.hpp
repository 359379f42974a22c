// SPDX-License-Identifier: MIT
// A litmus test: a small program, and exactly the outcomes it may have, or the failure that must be found in it. What
// is not listed is forbidden.
#pragma once

#include <proofs/explorer/atomic.hpp>
#include <proofs/explorer/explore.hpp>

#include <initializer_list>
#include <set>
#include <string>
#include <vector>

namespace model {

using outcomes = std::set<std::string>;

struct litmus {
  using program = void (*)(execution& run, outcomes& seen);

  const char* name;
  outcomes allowed;
  program body;
  const char* failure = "";  // part of the complaint
  bounds limits = {.preemptions = UINT32_MAX};
};

// A namespace-scope object of this type adds its tests to those that the program runs.
struct litmus_family {
  litmus_family(const char* name, std::initializer_list<litmus> tests);
};

using cell = atomic<int>;
inline constexpr order relaxed = order::relaxed, acquire = order::acquire, release = order::release,
                       acq_rel = order::acq_rel, seq_cst = order::seq_cst;

inline void fence(order o, site where = site::here()) { machine::instance().fence(o, where); }

// "1 0": the values in the order given.
template <class... Values>
std::string outcome(Values... values) {
  std::string text;
  ((text += (text.empty() ? "" : " ") + std::to_string(values)), ...);
  return text;
}

}  // namespace model
