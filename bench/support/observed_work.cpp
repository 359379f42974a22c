// SPDX-License-Identifier: MIT
// Compiled twice: by the name of detent, and by that of the copy which counts no causes.
#include "observed_work.hpp"

#include <detent/detent.hpp>

#include <ctime>

namespace detent {
namespace {

using namespace std::chrono_literals;

double cpu_of_this_thread() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

class engine_work final : public observed::work {
 public:
  engine_work() {
    running_.schedule_after(1h, [] {});
  }

  observed::cost pairs(std::size_t count) override {
    const time_point deadline = running_.now() + 1min;
    const double begin = cpu_of_this_thread();
    for (std::size_t i = 0; i < count; ++i) running_.schedule_at(deadline, [] {}).cancel();
    return {.life = (cpu_of_this_thread() - begin) / static_cast<double>(count), .pass = 0};
  }

  observed::cost firings(std::size_t count) override {
    observed::cost reported;
    double begin = cpu_of_this_thread();
    const time_point due = driven_.now() + 20ms;
    for (std::size_t i = 0; i < count; ++i) driven_.schedule_at(due + duration(i % 1000 * 997), [this] { ++fired_; });
    driven_.poll();
    reported.life = cpu_of_this_thread() - begin;
    while (driven_.now() < due + 1ms) {
    }
    begin = cpu_of_this_thread();
    driven_.poll();
    reported.pass = cpu_of_this_thread() - begin;
    reported.life += reported.pass;
    return {reported.life / static_cast<double>(count), reported.pass / static_cast<double>(count)};
  }

 private:
  engine running_;
  engine driven_{{.drive = drive_kind::caller}};
  std::size_t fired_ = 0;
};

}  // namespace

std::unique_ptr<observed::work> make_observed_work() { return std::make_unique<engine_work>(); }

}  // namespace detent
