// SPDX-License-Identifier: MIT
// The orders with which operations are carried out: as the code under test is written, except for one operation that
// has been weakened. That is a mutant which needs no compiler.
#pragma once

#include "memory.hpp"

#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace model {

// Where in the code under test.
struct site {
  const char* file;
  int line;
  static constexpr site here(const char* file = __builtin_FILE(), int line = __builtin_LINE()) { return {file, line}; }
};

const char* name_of(order o);

class weakening {
 public:
  // FILE:LINE:OPERATION:FROM:TO, as in doorbell.hpp:74:exchange:acq_rel:acquire. False: that is no weakening.
  bool parse(std::string_view text);
  // From now on, the operations which are passed are written down.
  void watch() { watching_ = true; }
  // FILE:LINE:OPERATION:FROM, of all whose order is more than relaxed.
  const std::set<std::string>& passed() const { return passed_; }

  // The order of an operation that is written with `o`.
  order of(const char* operation, order o, site where) {
    if (watching_) note(operation, o, where);
    return where.line == line_ && o == from_ ? weakened(operation, o, where) : o;
  }

 private:
  void note(const char* operation, order o, site where);
  order weakened(const char* operation, order o, site where) const;

  bool watching_ = false;
  std::set<std::string> passed_;
  std::string file_;  // the end of a path
  int line_ = -1;
  std::string operation_;
  order from_ = order::relaxed;
  order to_ = order::relaxed;
};

}  // namespace model
