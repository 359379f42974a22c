// SPDX-License-Identifier: MIT
#include "host/machine_facts.hpp"

#include <gtest/gtest.h>

#include "made_up_host.hpp"

namespace detent::tool {
namespace {

using MachineFacts = test::made_up_host;

TEST_F(MachineFacts, AreReadFromProcAndSys) {
  given("proc/cpuinfo",
        "processor\t: 0\nmodel\t\t: 1\nmodel name\t: A  Fine CPU\n\nprocessor\t: 1\nmodel name\t: A  Fine CPU\n");
  given("proc/sys/kernel/osrelease", "6.1.0\n");
  given("proc/loadavg", "0.10 0.20 0.30 1/99 4711\n");
  given("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
  given("sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "performance\n");
  const std::vector<text_table::row> expected = {{"CPU", "A Fine CPU"},
                                                 {"cores", "2"},
                                                 {"kernel", "6.1.0"},
                                                 {"frequency governor", "powersave, performance"},
                                                 {"load average", "0.10 0.20 0.30 1/99 4711"}};
  EXPECT_EQ(machine_facts(host()).rows(), expected);
}

TEST_F(MachineFacts, SayWhatCannotBeRead) {
  given("proc/cpuinfo", "no colon\nmodel name\n");
  const text_table facts = machine_facts(host());
  for (const auto& [name, value] : facts.rows())
    EXPECT_EQ(value, name == "frequency governor" ? "none visible" : "unknown") << name;
}

}  // namespace
}  // namespace detent::tool
