// SPDX-License-Identifier: MIT
// Runs the tasks on the systems, side by side, and writes a JSON line for each measurement.
#pragma once

#include <chrono>
#include <map>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "plan.hpp"
#include "rival.hpp"

namespace peers {

class comparison {
 public:
  comparison(std::vector<rival> rivals, std::vector<task> tasks, std::ostream& out);

  // Goes task by task. The systems run right after one another; the first one changes from round to round.
  void run(int rounds);
  // Returns how many failures there were; each has a line on stderr. A system that refuses a work does not fail.
  int failures() const { return failures_; }

 private:
  using line = nlohmann::ordered_json;

  void introduce();
  void run_task(const task& asked, int round);
  void measure(rival& system, const task& asked, int round);
  void failed(const std::string& system, const std::string& why);
  void write(const line& said);
  void account();

  std::vector<rival> rivals_;
  std::vector<task> tasks_;
  std::ostream& out_;
  int failures_ = 0;
  std::set<std::string> refused_;  // entries are "system request"
  std::map<std::string, double> seconds_by_work_, seconds_by_system_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

}  // namespace peers
