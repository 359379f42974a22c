// SPDX-License-Identifier: MIT
// A /proc and a /sys of a test's own, and what the doctor says to them.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "doctor/doctor_text.hpp"
#include "doctor/finding.hpp"
#include "host/host_files.hpp"
#include "support/temporary_directory.hpp"

namespace detent::tool {

inline void PrintTo(severity judged, std::ostream* out) { *out << name_of(judged); }

inline bool says(const finding& each, std::string_view words) {
  const std::string all = each.seen + "|" + each.where + "|" + each.meaning + "|" + each.cure;
  return all.find(words) != std::string::npos;
}

}  // namespace detent::tool

namespace detent::test {

class made_up_host : public testing::Test {
 protected:
  void given(const std::string& file, std::string_view content) const { directory_.write(file, content); }
  tool::host_files host() const { return tool::host_files(directory_.path()); }

  // A thread: its name may be anything; nanoseconds run and waited, times gone to sleep and preempted.
  struct thread_description {
    std::string name = "other";
    int cpu = 0;
    unsigned long long ran = 0, waited = 0, gave_up = 0, preempted = 0;
    bool kernel = false;
    int priority = 0, policy = 0;
    std::string allowed = "0-7";
  };
  void given_thread(int process, int thread, const thread_description& what) const {
    const std::string base = "proc/" + std::to_string(process) + "/task/" + std::to_string(thread) + "/";
    const auto number = [](auto value) { return std::to_string(value) + " "; };
    std::string stat = number(thread) + "(" + what.name + ") S 1 1 1 0 -1 " + (what.kernel ? "2097216 " : "4194304 ");
    for (int field = 10; field <= 38; ++field) stat += field == 22 ? "777 " : "0 ";
    given(base + "stat", stat + number(what.cpu) + number(what.priority) + number(what.policy) + "0 0 0\n");
    if (process == thread) given("proc/" + std::to_string(process) + "/stat", stat + "0 0 0 0\n");
    given(base + "schedstat", number(what.ran) + number(what.waited) + "9\n");
    given(base + "status", "Name:\tx\nCpus_allowed_list:\t" + what.allowed + "\nvoluntary_ctxt_switches:\t" +
                               std::to_string(what.gave_up) + "\nnonvoluntary_ctxt_switches:\t" +
                               std::to_string(what.preempted) + "\n");
  }

 private:
  temporary_directory directory_;
};

inline const tool::finding& about(const std::vector<tool::finding>& findings, std::string_view subject) {
  static const tool::finding none = {"no such finding", tool::severity::unknown, ""};
  const auto found =
      std::find_if(findings.begin(), findings.end(), [&](const auto& each) { return each.subject == subject; });
  if (found == findings.end()) {
    ADD_FAILURE() << "nothing is said about " << subject;
    return none;
  }
  return *found;
}

}  // namespace detent::test
