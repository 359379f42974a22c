// SPDX-License-Identifier: MIT
#include <search/meetings/meeting.hpp>

#include <detent/detail/timer_access.hpp>

#include <poll.h>
#include <sys/timerfd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <system_error>
#include <vector>

namespace hooks {
namespace {

constexpr int most_looks = 16;
// A few magazines of nodes; more than a scene needs.
constexpr std::size_t nodes_of_a_scene = 3 * std::size_t{255};

detent::engine_options with_clock(detent::engine_options options, detent::manual_clock& clock,
                                  std::shared_ptr<detent::executor> executor) {
  options.drive = detent::drive_kind::caller;
  options.manual = &clock;
  options.reserve = 0;
  options.executor = std::move(executor);
  return options;
}

// Destroyed after whatever the engine keeps for a thread, as it was there first.
struct last_of_all {
  ~last_of_all() { hold_never(); }
  void touch() {}
};
thread_local last_of_all end_of_this_thread;

// A descriptor set to a time that is past becomes readable by an interrupt, a moment after the call: so does this one,
// which is set after it, and on the same processor later than it.
void let_the_kernel_catch_up() {
  static const int last = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
  if (last < 0) throw std::system_error(errno, std::generic_category(), "timerfd_create");
  const itimerspec at{.it_interval = {}, .it_value = {.tv_sec = 0, .tv_nsec = 2}};
  timerfd_settime(last, TFD_TIMER_ABSTIME, &at, nullptr);
  pollfd asked{.fd = last, .events = POLLIN, .revents = 0};
  ::poll(&asked, 1, -1);
}

}  // namespace

scene::scene(bool hands_over, detent::engine_options options)
    : executor(hands_over ? std::make_shared<detent::testing::holding_executor>() : nullptr),
      engine(with_clock(std::move(options), clock, executor)),
      wake_fd_(engine.wake_fd()) {
  gone.cancel();
  look();
  settle();
}

bool scene::is_called() const {
  if (next_ && *next_ <= clock.now()) return true;
  let_the_kernel_catch_up();
  pollfd asked{.fd = wake_fd_, .events = POLLIN, .revents = 0};
  return ::poll(&asked, 1, 0) == 1;
}

void scene::look() {
  engine.poll();
  if (executor != nullptr && !keeps) executor->run_all();
  next_ = engine.next_deadline();
}

void scene::settle() {
  for (int looks = 0; is_called(); ++looks) {
    if (looks == most_looks) {
      // One that is held as it signals the descriptor has others poll for nothing.
      if (!is_holding()) ADD_FAILURE() << "there is no end of what is to be done";
      return;
    }
    look();
  }
}

void scene::run_to(detent::time_point until) {
  settle();
  while (next_ && *next_ <= until && !::testing::Test::HasFailure()) {
    clock.advance_to(*next_);
    settle();
  }
  clock.advance_to(until);
  settle();
}

void scene::expect_runs_at(detent::time_point due, int count) {
  const int before = runs;
  run_to(due - 1ns);
  EXPECT_EQ(runs, before) << "before it was due";
  run_to(due);
  EXPECT_EQ(runs, before + count) << "when it was due";
}

void scene::expect_balance() const {
  const detent::engine_metrics reported = engine.metrics();
  EXPECT_EQ(reported.scheduled, reported.expired + reported.cancelled + reported.returned + reported.dropped);
  EXPECT_EQ(reported.pending, 0u);
  EXPECT_EQ(engine.pending(), 0u);
  EXPECT_TRUE(engine.list_pending().empty());
  EXPECT_EQ(captures.living(), 0);
}

void scene::expect_at_rest() {
  settle();
  expect_balance();
  if (group) {
    EXPECT_EQ(group->pending(), 0u);
  }
  EXPECT_EQ(engine.next_deadline(), std::nullopt);
  // The pool hands out what it has before it carves more.
  std::vector<detent::timer> all(nodes_of_a_scene);
  std::uint32_t highest = 0;
  for (detent::timer& each : all) {
    each = engine.schedule_after(24h, [] {});
    highest = std::max(highest, detent::detail::timer_access::index(each));
  }
  EXPECT_EQ(highest, nodes_of_a_scene - 1) << "a node has not come back";
}

detent::fired_timer scene::take() {
  detent::fired_timer first = std::move(executor->held.front());
  executor->held.pop_front();
  return first;
}

void meeting::go_on() {
  let_go_on();
  thread_.reset();
}

void meeting::tell_at_the_end() { end_of_this_thread.touch(); }

void tell_of(std::uint64_t operations) {
  std::printf("%llu operations to meet at\n", static_cast<unsigned long long>(operations));
}

std::string describe(const meeting& at, std::uint64_t n) {
  std::string reported = "met at operation " + std::to_string(n);
  if (!at.place()) return reported + ", the end";
  const char* file = std::strrchr(at.place()->where.file, '/');
  return reported + ", a " + name(at.place()->what) + " at " + (file == nullptr ? "" : file + 1) + ":" +
         std::to_string(at.place()->where.line) + ", " + at.place()->where.function;
}

}  // namespace hooks
