// SPDX-License-Identifier: MIT
// A litmus test: a small program, and exactly the outcomes it may have, or the failure that must be found in it. What
// is not listed is forbidden.
#pragma once

#include <proofs/explorer/atomic.hpp>
#include <proofs/explorer/explore.hpp>

#include <functional>
#include <initializer_list>
#include <set>
#include <string>
#include <vector>

namespace model {

using outcomes = std::set<std::string>;

// A function, or threads in the notation of notation.cpp.
class litmus_program {
 public:
  using function = void (*)(execution& run, outcomes& seen);

  litmus_program(function code) : code_(code) {}
  litmus_program(const char* notation);
  void operator()(execution& run, outcomes& seen) const { code_(run, seen); }

 private:
  std::function<void(execution&, outcomes&)> code_;
};

struct litmus {
  const char* name;
  outcomes allowed;
  litmus_program body;
  const char* failure = "";  // part of the complaint
  bounds limits = {.preemptions = UINT32_MAX};
};

// A namespace-scope object of this type adds its tests to those that the program runs.
struct litmus_family {
  litmus_family(const char* name, std::initializer_list<litmus> tests);
};

inline constexpr order relaxed = order::relaxed, acquire = order::acquire, release = order::release,
                       acq_rel = order::acq_rel, seq_cst = order::seq_cst;

// "1 0": the values in the order given.
template <class... Values>
std::string outcome(Values... values) {
  std::string text;
  ((text += (text.empty() ? "" : " ") + std::to_string(values)), ...);
  return text;
}

}  // namespace model
