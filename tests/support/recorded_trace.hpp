// SPDX-License-Identifier: MIT
// A place for a recording, and what is in it.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "support/temporary_directory.hpp"

namespace detent::testing {

// Lies in a directory that is removed with the test.
class recording_place {
 public:
  std::string path(const std::string& name = "trace.csv") const { return directory_.path() + "/" + name; }

 private:
  test::temporary_directory directory_;
};

struct recorded_row {
  std::int64_t t = 0;
  char op = 0;
  std::uint64_t id = 0;
  std::int64_t delay = 0;
  std::string source;
};

// A whole recording. Fails the test if a line is malformed or time runs backwards.
struct recorded_trace {
  explicit recorded_trace(std::istream&& in) {
    std::string line;
    EXPECT_TRUE(std::getline(in, line) && line == "t_ns,op,id,delay_ns,source") << line;
    while (std::getline(in, line)) {
      EXPECT_FALSE(in.eof()) << "the last line has no end: " << line;
      if (line.starts_with("# dropped ")) {
        if (dropped == 0) rows_before_first_loss = rows.size();
        dropped += std::stoull(line.substr(10));
        ++losses;
      } else {
        add(line);
      }
    }
  }
  static recorded_trace of_file(const std::string& path) { return recorded_trace(std::ifstream(path)); }

  std::uint64_t count(char op) const {
    std::uint64_t found = 0;
    for (const recorded_row& each : rows) found += each.op == op ? 1U : 0U;
    return found;
  }
  // Returns the rows of the file with the ids a, b, c ... in the order of their appearance.
  std::string text() const {
    std::map<std::uint64_t, char> names;
    std::string all;
    for (const recorded_row& each : rows) {
      const char name = names.try_emplace(each.id, static_cast<char>('a' + names.size())).first->second;
      const bool arms = each.op == 'S' || each.op == 'R';
      all += std::to_string(each.t) + "," + each.op + "," + name + "," + (arms ? std::to_string(each.delay) : "") +
             "," + each.source + "\n";
    }
    return all;
  }

  std::vector<recorded_row> rows;
  std::uint64_t dropped = 0;
  std::size_t losses = 0;  // lines that report losses; the last one makes the sum right
  std::size_t rows_before_first_loss = 0;

 private:
  void add(const std::string& line) {
    std::istringstream fields(line);
    recorded_row row;
    char comma = 0;
    fields >> row.t >> comma >> row.op >> comma >> row.id >> comma;
    if (fields.peek() != ',') fields >> row.delay;
    fields >> comma >> row.source;
    EXPECT_TRUE(fields && fields.peek() == std::istringstream::traits_type::eof()) << line;
    EXPECT_TRUE(rows.empty() || rows.back().t <= row.t) << line;
    rows.push_back(row);
  }
};

}  // namespace detent::testing
