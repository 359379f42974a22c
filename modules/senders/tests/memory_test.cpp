// SPDX-License-Identifier: MIT
// An operation has all its memory in its state: nothing is allocated for a sender, nor for its time limit.
#include <detent/manual_clock.hpp>
#include <detent/sender_timeout.hpp>
#include <detent/senders.hpp>
#include <detent/timer_group.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <stop_token>
#include <system_error>
#include <type_traits>

#include "support/drive_allocations.hpp"

namespace detent::drive {
namespace {

using namespace std::chrono_literals;
namespace ex = base::found::execution;

struct counts {
  int values = 0, stops = 0, errors = 0;
};
struct counting_receiver {
  using receiver_concept = ex::receiver_tag;
  void set_value() && noexcept { ++into->values; }
  void set_stopped() && noexcept { ++into->stops; }
  void set_error(std::error_code) && noexcept { ++into->errors; }

  struct env {
    ex::inplace_stop_token stop;
    ex::inplace_stop_token query(ex::get_stop_token_t) const noexcept { return stop; }
  };
  env get_env() const noexcept { return {stop}; }

  counts* into;
  ex::inplace_stop_token stop;
};

class SendersMemory : public ::testing::Test {
 protected:
  // Starts the sender and lets that much time pass.
  template <class Sender>
  void run(const Sender& sender, duration passes) {
    auto operation = ex::connect(sender, counting_receiver{&counts_, source_.get_token()});
    ex::start(operation);
    clock_.advance(passes);
    while (engine_.poll() != 0) {
    }
  }
  template <class Turn>
  std::uint64_t allocated_by(Turn&& turn) {
    for (int i = 0; i < 100; ++i) turn();
    const std::uint64_t before = allocations();
    for (int i = 0; i < 1000; ++i) turn();
    return allocations() - before;
  }

  manual_clock clock_;
  engine engine_{engine_options{.manual = &clock_, .reserve = 4096}};
  timer_group group_{engine_};
  ex::inplace_stop_source source_;
  counts counts_;
};

TEST_F(SendersMemory, ASenderAllocatesNothing) {
  const scheduler on(engine_), tagged(engine_, {.tag = 7}), member(group_);
  EXPECT_EQ(allocated_by([&] {
              run(on.schedule(), 0ns);
              run(on.schedule_after(1s), 1s);
              run(tagged.schedule_after(1s), 1s);
              run(member.schedule_after(1s), 1s);
            }),
            0u);
  EXPECT_EQ(counts_.values, 4400);
}

TEST_F(SendersMemory, ATimeLimitAllocatesNothing) {
  if constexpr (std::is_base_of_v<std::stop_token, ex::inplace_stop_token>) {
    GTEST_SKIP() << "the stop source of the stand-in is std::stop_source, which allocates";
  } else {
    const scheduler on(engine_);
    EXPECT_EQ(allocated_by([&] {
                run(timeout(on.schedule_after(1s), on, 2s), 1s);
                run(timeout(on.schedule_after(2s), on, 1s), 1s);
              }),
              0u);
    EXPECT_EQ(counts_.values, 1100);
    EXPECT_EQ(counts_.errors, 1100);
  }
}

}  // namespace
}  // namespace detent::drive
