// SPDX-License-Identifier: MIT
// DPDK's rte_timer: timers of one worker core, armed from any thread; the worker asks rte_timer_manage what is due.
#include <rte_cycles.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_launch.h>
#include <rte_lcore.h>
#include <rte_pause.h>
#include <rte_timer.h>
#include <rte_version.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <string>

#include "../works/all.hpp"

namespace {

using namespace peers;

constexpr unsigned worker_core = 1;
constexpr std::uint32_t default_lists = 0;  // the list that rte_timer_reset uses

template <bool polling>
class core_timers {
 public:
  struct slot {
    rte_timer timer;
    argument work;
  };
  static constexpr bool slot_holds_timer = true;

  core_timers() { rte_eal_remote_launch(manage, this, worker_core); }

  std::vector<slot> slots(std::size_t count) {
    std::vector<slot> made(count);
    for (slot& each : made) rte_timer_init(&each.timer);
    return made;
  }
  void settle() {}
  void stop() {
    stopped_.store(true, std::memory_order_relaxed);  // relaxed: rte_eal_wait_lcore orders what follows
    rte_eal_wait_lcore(worker_core);
    // Timers that are still pending lie in slots that are about to be destroyed.
    rte_timer_stop_all(default_lists, &worker_core_id_, 1, nullptr, nullptr);
  }

  class producer {
   public:
    explicit producer(core_timers&) : registered_(rte_lcore_id() == LCORE_ID_ANY) {
      if (registered_ && rte_thread_register() != 0) throw bad_request("DPDK takes no more threads");
    }
    ~producer() {
      if (registered_) rte_thread_unregister();
    }
    producer(const producer&) = delete;
    producer& operator=(const producer&) = delete;

    void schedule_after(slot& at, nanoseconds delay, const argument& work) {
      at.work = work;
      const auto cycles = static_cast<std::uint64_t>(static_cast<double>(delay.count()) * cycles_per_ns_);
      while (rte_timer_reset(&at.timer, cycles, SINGLE, worker_core, fire, &at) != 0) rte_pause();
    }
    void cancel(slot& at) { rte_timer_stop_sync(&at.timer); }
    void flush() {}

   private:
    bool registered_;
    double cycles_per_ns_ = static_cast<double>(rte_get_timer_hz()) / 1e9;
  };

 private:
  static void fire(rte_timer*, void* at) { static_cast<slot*>(at)->work(); }

  static int manage(void* of) {
    auto& self = *static_cast<core_timers*>(of);
    while (!self.stopped_.load(std::memory_order_relaxed)) {  // relaxed: a flag that orders nothing
      rte_timer_manage();
      if constexpr (!polling) rte_delay_us_sleep(1000);
    }
    return 0;
  }

  std::atomic<bool> stopped_{false};
  unsigned worker_core_id_ = worker_core;
};

// Starts the environment layer on threads that may run on all CPUs, like those of all other systems.
void start_environment() {
  std::string cpus = std::to_string(sysconf(_SC_NPROCESSORS_ONLN) - 1);
  std::string cores = "--lcores=(0-1)@(0-" + cpus + ")";
  std::array<const char*, 9> words = {"bench_peer_dpdk", "--no-huge",   "--no-pci", "--no-telemetry",
                                      "--no-hpet",       "--no-shconf", "-m64",     "--log-level=error",
                                      cores.c_str()};
  // The interface is in C: it keeps the words and does not write to them.
  if (rte_eal_init(static_cast<int>(words.size()), const_cast<char**>(words.data())) < 0) {
    throw unavailable(std::string("rte_eal_init: ") + rte_strerror(rte_errno));
  }
  if (rte_timer_subsystem_init() != 0) throw unavailable("rte_timer_subsystem_init failed");
}

template <bool polling>
peers::system dpdk() {
  start_environment();
  peers::system made{
      .name = polling ? "dpdk-poll" : "dpdk",
      .version = rte_version(),
      .how =
          std::string("rte_timer structures reused by rte_timer_reset, all bound to one worker lcore, which calls "
                      "rte_timer_manage ") +
          (polling ? "in a tight loop, DPDK's own manner" : "each millisecond and sleeps in between") +
          "; other threads are registered lcores and call rte_timer_reset and rte_timer_stop_sync directly, which are "
          "documented as safe across cores; TSC; no huge pages; lcores float over all CPUs",
      .works = {}};
  const auto make = [](std::size_t) { return core_timers<polling>(); };
  if constexpr (polling) {
    add_works(made, {"lateness", "fire"}, make);
  } else {
    add_works(made, {}, make);
  }
  return made;
}

}  // namespace

int main(int count, char** words) {
  return serve({words, static_cast<std::size_t>(count)},
               {{.name = "dpdk", .make = dpdk<false>}, {.name = "dpdk-poll", .make = dpdk<true>}});
}
