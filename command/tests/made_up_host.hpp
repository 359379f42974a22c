// SPDX-License-Identifier: MIT
// A /proc and a /sys of a test's own, and what the doctor says to them.
#pragma once
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <string_view>

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

  void given_thread(int process, int thread, const std::string& name) const {
    std::string stat = std::to_string(thread) + " (" + name + ") S 1 1 1 0 -1 4194304 ";
    for (int field = 10; field <= 41; ++field) stat += field == 22 ? "777 " : "0 ";
    const std::string base = "proc/" + std::to_string(process) + "/";
    if (process == thread) given(base + "stat", stat + "0 0 0\n");
    given(base + "task/" + std::to_string(thread) + "/stat", stat + "0 0 0\n");
    given(base + "task/" + std::to_string(thread) + "/status", "Name:\tx\nCpus_allowed_list:\t0-7\n");
  }

 private:
  temporary_directory directory_;
};

}  // namespace detent::test
