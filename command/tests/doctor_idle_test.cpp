// SPDX-License-Identifier: MIT
// The doctor's verdicts on idle states, as listed and as measured.
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "doctor/idle_costs.hpp"
#include "doctor/idle_states.hpp"
#include "made_up_host.hpp"

namespace detent::tool {
namespace {

class DoctorIdle : public test::made_up_host {
 protected:
  void given_state(int cpu, int number, const char* name, int latency, int residency, bool off = false) const {
    const std::string state =
        "sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cpuidle/state" + std::to_string(number) + "/";
    given(state + "name", std::string(name) + "\n");
    given(state + "latency", std::to_string(latency) + "\n");
    given(state + "residency", std::to_string(residency) + "\n");
    given(state + "disable", off ? "1\n" : "0\n");
  }
  void given_a_server() const {
    for (int cpu : {0, 1}) {
      given_state(cpu, 0, "POLL", 0, 0);
      given_state(cpu, 1, "C1", 2, 2);
      given_state(cpu, 2, "C1E", 10, 20);
      given_state(cpu, 3, "C6", 133, 600);
    }
  }
};

// In microseconds: without a limit, and held to C1E, to C1, to POLL.
idle_measurement of_a_server(std::int64_t none, std::int64_t c1e, std::int64_t c1, std::int64_t poll) {
  const auto cost = [](std::optional<long long> limit, const char* deepest, std::int64_t us) {
    return idle_cost{.limit = limit, .deepest = deepest, .late = {3'000, us * 1'000, us * 1'000}};
  };
  return {.costs = {cost({}, "", none), cost(10, "C1E", c1e), cost(2, "C1", c1), cost(0, "POLL", poll)}};
}

TEST(DoctorIdleCosts, NamesTheHighestLimitThatIsAsGoodAsAny) {
  const auto cure = [](const idle_measurement& of) { return judged(of, "/dev/x").cure; };
  EXPECT_EQ(cure(of_a_server(100, 15, 5, 4)), "engine_options::cpu_latency_limit = 2us");
  EXPECT_EQ(cure(of_a_server(100, 5, 5, 4)), "engine_options::cpu_latency_limit = 10us");
  EXPECT_EQ(cure(of_a_server(100, 90, 80, 4)),
            "engine_options::cpu_latency_limit = 0us; the price is power: while it is held, idle cores poll");
  const finding said = judged(of_a_server(100, 15, 5, 4), "/dev/x");
  EXPECT_EQ(said.judged, severity::note);
  EXPECT_TRUE(says(said, "sleeps of 100 us, 1 ms, 10 ms end late by (p50) 3 us, 100 us, 100 us"));
  EXPECT_TRUE(says(said, "with a limit of 2 us (C1): 3 us, 5 us, 5 us"));
  EXPECT_TRUE(says(said, "95 us later"));
}

TEST(DoctorIdleCosts, AdvisesNoLimitThatSavesNothing) {
  for (const auto& each : {of_a_server(5, 5, 5, 4), of_a_server(6, 4, 3, 2), of_a_server(100, 90, 95, 85)}) {
    EXPECT_EQ(judged(each, "/dev/x").judged, severity::fine);
    EXPECT_EQ(judged(each, "/dev/x").cure, "");
  }
}

TEST(DoctorIdleCosts, SaysWhyNoLimitCouldBeHeld) {
  idle_measurement denied{.costs = {{.limit = std::nullopt, .late = {3'000, 20'000, 22'000}}},
                          .denied = "Permission denied"};
  EXPECT_EQ(judged(denied, "/dev/x").judged, severity::unknown);
  EXPECT_TRUE(says(judged(denied, "/dev/x"), "not measured, Permission denied"));
  denied.costs[0].late[2] = 90'000;
  EXPECT_EQ(judged(denied, "/dev/x").judged, severity::note);
  EXPECT_TRUE(says(judged(denied, "/dev/x"), "87 us later than short ones"));
  EXPECT_TRUE(says(judged(denied, "/dev/x"), "as a user who may open /dev/x"));
}

// Each state's own latency is a limit, except the deepest one's. The limit that was in force before is not.
TEST_F(DoctorIdle, MeasuresWithEachLimitThatKeepsAStateOut) {
  given_a_server();
  given_state(0, 2, "C1E", 10, 20, true);
  given_state(1, 2, "C1E", 10, 20, true);
  given("device", "");
  const std::string device = host().root() + "/device";
  const idle_measurement made = measure_idle_costs(host(), duration(0), device.c_str());
  EXPECT_EQ(made.denied, "");
  EXPECT_FALSE(made.others);
  ASSERT_EQ(made.costs.size(), 3U);
  EXPECT_FALSE(made.costs[0].limit);
  EXPECT_EQ(made.costs[1].limit, 2);
  EXPECT_EQ(made.costs[1].deepest, "C1");
  EXPECT_EQ(made.costs[2].limit, 0);
  for (const idle_cost& each : made.costs) {
    for (const std::int64_t late : each.late) EXPECT_GT(late, 0);
  }
  std::ifstream file(device, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  std::vector<std::int32_t> held(bytes.size() / sizeof(std::int32_t));
  std::memcpy(held.data(), bytes.data(), held.size() * sizeof(std::int32_t));
  const std::int32_t none = 2'000'000'000;
  EXPECT_EQ(held, (std::vector<std::int32_t>{none, 2, 0, none, 2, 0, none, 2, 0}));
}

TEST_F(DoctorIdle, MeasuresWithoutALimitWhereTheDeviceIsDenied) {
  const idle_measurement made = measure_idle_costs(host(), duration(0), (host().root() + "/none").c_str());
  EXPECT_EQ(made.costs.size(), 1U);
  EXPECT_EQ(made.denied, "No such file or directory");
}

TEST_F(DoctorIdle, SaysThatAnotherProcessHoldsALimit) {
  given("device", std::string_view("\x05\0\0\0", 4));
  const idle_measurement made = measure_idle_costs(host(), duration(0), (host().root() + "/device").c_str());
  EXPECT_EQ(made.others, 5);
  EXPECT_TRUE(says(judged(made, "/dev/x"), "another process holds a limit of 5 us"));
}

}  // namespace
}  // namespace detent::tool
