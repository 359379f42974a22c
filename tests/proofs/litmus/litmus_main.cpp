// SPDX-License-Identifier: MIT
// Runs each litmus test as a test of its own.
#include "litmus.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <iostream>

namespace model {
namespace {

struct named_litmus {
  std::string family;
  litmus what;
};

std::deque<named_litmus>& all_tests() {
  static std::deque<named_litmus> every;
  return every;
}

class litmus_run : public testing::Test {
 public:
  explicit litmus_run(const litmus& what) : what_(what) {}
  void TestBody() override {
    outcomes seen;
    body program = [&](execution& run) { what_.body(run, seen); };
    verdict found = explore(what_.limits, program);
    if (*what_.failure != '\0') {
      EXPECT_NE(found.complaint.find(what_.failure), std::string::npos) << report(found);
      EXPECT_EQ(replay(what_.limits, program, found.schedule).complaint, found.complaint);
      return;
    }
    std::cout << report(found) << '\n';
    EXPECT_EQ(found.complaint, "") << report(found);
    EXPECT_TRUE(found.complete);
    EXPECT_EQ(seen, what_.allowed);
  }

 private:
  const litmus& what_;
};

}  // namespace

litmus_family::litmus_family(const char* name, std::initializer_list<litmus> tests) {
  for (const litmus& each : tests) all_tests().push_back({name, each});
}

}  // namespace model

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  for (const model::named_litmus& each : model::all_tests()) {
    testing::RegisterTest(each.family.c_str(), each.what.name, nullptr, nullptr, __FILE__, __LINE__,
                          [&each]() -> testing::Test* { return new model::litmus_run(each.what); });
  }
  return RUN_ALL_TESTS();
}
