// SPDX-License-Identifier: MIT
#include "lateness/late_scenario.hpp"

#include <array>
#include <cstddef>

namespace detent::tool {
namespace {

constexpr std::array<scenario_words, static_cast<std::size_t>(late_scenario::count_)> table = {
    {{.name = "the machine stood still",
      .late_by = "drain, wait, worker, dispatch",
      .sign = "CLOCK_BOOTTIME runs ahead of CLOCK_MONOTONIC, or the program that watches the engine stood still too",
      .cure = "find what halts the machine: a suspend, a virtual machine that is paused, copied or moved; no option of "
              "the engine helps"},
     {.name = "the process was stopped",
      .late_by = "drain, wait, worker, dispatch",
      .sign =
          "its threads are in state T, its control group is frozen, or none of them runs or waits for a CPU while a "
          "timer is overdue",
      .cure = "find what stops the process: SIGSTOP, a debugger, a paused container; no option of the engine helps"},
     {.name = "the CPU quota was used up",
      .late_by = "drain, wait, worker, dispatch",
      .sign = "the driver's thread waits for a CPU, and nr_throttled grows in cpu.stat of its control group",
      .cure = "a larger quota or none, or fewer busy threads in the group: a worker that spins counts as a whole CPU"},
     {.name = "the hypervisor took the CPU away",
      .late_by = "drain, wait, worker",
      .sign = "steal grows in /proc/stat, for the CPU that the driver's thread runs on",
      .cure = "dedicated CPUs, or another host: no setting inside this machine helps"},
     {.name = "the worker had too little CPU",
      .late_by = "drain, wait, worker",
      .sign = "the run delay grows in schedstat of the worker's thread: it is ready to run but waits for a CPU",
      .cure = "an isolated CPU for the worker (engine_options::cpu), engine_options::realtime_priority, or fewer busy "
              "threads beside it"},
     {.name = "the thread that polls had too little CPU",
      .late_by = "drain, wait, worker",
      .sign = "the run delay grows in schedstat of every thread of the process that ran",
      .cure =
          "an isolated CPU (taskset) or a real-time priority (chrt) for the thread that calls poll(), or fewer busy "
          "threads beside it"},
     {.name = "the worker was away for a millisecond and more",
      .late_by = "wait",
      .sign = "none of the above, and no kernel wakes a thread that late by itself",
      .cure = "find what stops the process for moments: SIGSTOP, a debugger, a paused container; or give the timers "
              "less slack (timer_options::slack)"},
     {.name = "the worker slept, with wait_options::sleep()",
      .late_by = "wait",
      .sign = "none of the above: the kernel wakes the worker too late",
      .cure = "wait_options::hybrid(), or busy() on a CPU of its own; shallower idle states, see detent doctor; less "
              "slack, if the timers have any"},
     {.name = "the worker slept too long, with wait_options::hybrid()",
      .late_by = "wait",
      .sign = "none of the above: the kernel wakes the worker later than its margin allows for",
      .cure = "hybrid() with a longer max_spin, or busy() on a CPU of its own; shallower idle states, see detent "
              "doctor; less slack, if the timers have any"},
     {.name = "the worker slept too long, with a tick of a millisecond or more",
      .late_by = "wait",
      .sign = "none of the above: with such a tick hybrid() spins for a 64th of it at most",
      .cure = "a tick below a millisecond, or busy() on a CPU of its own; shallower idle states, see detent doctor; "
              "less slack, if the timers have any"},
     {.name = "the worker was interrupted, with wait_options::busy()",
      .late_by = "wait",
      .sign = "none of the above: interrupts, or the machine's firmware",
      .cure = "an isolated CPU for the worker (engine_options::cpu); detent doctor --pid shows what else runs there"},
     {.name = "poll() was called late",
      .late_by = "wait, drain",
      .sign = "a caller drives the engine, and was not kept from it",
      .cure = "call poll() when wake_fd() becomes readable, or at next_deadline(); an engine with a worker for timers "
              "that cannot wait for the loop"},
     {.name = "other callbacks ran first",
      .late_by = "worker, drain",
      .sign = "callbacks on the driver take as long as timers are late",
      .cure = "shorter callbacks, an executor for the long ones, deadlines spread further apart, or more shards"},
     {.name = "the deadline had passed when the timer was scheduled",
      .late_by = "drain",
      .sign = "the driver was on time: it had its CPU, and no callback was long",
      .cure = "schedule earlier: the deadline had passed already, or was so near that it passed on the way"},
     {.name = "the executor's threads had too little CPU",
      .late_by = "dispatch",
      .sign = "the run delay grows in schedstat of a thread of the process beside the worker, which waits for a CPU as "
              "long as it runs, or longer",
      .cure = "CPUs of their own for the executor's threads (thread_pool_options::cpus), or fewer busy threads beside "
              "them; more threads in the executor do not help"},
     {.name = "callbacks queued in the executor",
      .late_by = "dispatch",
      .sign = "none of the above: its threads had their CPU, and were busy with other callbacks",
      .cure =
          "shorter callbacks, or more threads in the executor; in a keyed_pool also fewer timers of one key, because "
          "those run one after the other"},
     {.name = "/proc does not show whether the driver had a CPU",
      .late_by = "drain, wait, worker",
      .sign =
          "a process in another namespace or with more than 256 threads, a /proc that hides it or has no schedstat, "
          "or fewer than two readings",
      .cure = "watch it for some seconds, as its user or root, in the namespaces of the process; in a sandbox whose "
              "/proc has no schedstat, look at the host"}}};

}  // namespace

std::span<const scenario_words> all_scenarios() { return table; }

const scenario_words& words_for(late_scenario scenario) { return table[static_cast<std::size_t>(scenario)]; }

}  // namespace detent::tool
