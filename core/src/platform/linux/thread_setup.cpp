// SPDX-License-Identifier: MIT
#include "platform/thread_setup.hpp"

#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <memory>

namespace detent::detail {
namespace {

// Returns a text such as "0-2,5", in which the kernel writes sets of CPUs.
std::string list_of(const cpu_set_t& cpus) {
  std::string list;
  for (std::size_t first = 0; first < CPU_SETSIZE; ++first) {
    if (!CPU_ISSET(first, &cpus)) continue;
    std::size_t last = first;
    while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, &cpus)) ++last;
    if (!list.empty()) list += ',';
    list += std::to_string(first);
    if (last != first) list += '-' + std::to_string(last);
    first = last;
  }
  return list;
}

// Says why the thread does not get SCHED_FIFO.
std::string explain_priority(int priority, int problem) {
  if (problem != EPERM) return explain(problem);
  rlimit limit{};
  getrlimit(RLIMIT_RTPRIO, &limit);
  const std::string wanted = std::to_string(priority);
  if (limit.rlim_cur >= static_cast<rlim_t>(priority))
    return explain(problem) +
           "; the control group has no real-time budget (cpu.rt_runtime_us), or a filter for system "
           "calls forbids it";
  return "needs CAP_SYS_NICE or RLIMIT_RTPRIO >= " + wanted + ", which is " + std::to_string(limit.rlim_cur) +
         "; LimitRTPRIO=" + wanted + " in the service, ulimit -r " + wanted + ", or setcap cap_sys_nice+ep PROGRAM";
}

}  // namespace

void name_thread(native_thread thread, const std::string& name) noexcept {
  char cut[16] = {};
  std::strncpy(cut, name.c_str(), sizeof cut - 1);
  pthread_setname_np(thread, cut);
}
void name_this_thread(const std::string& name) noexcept { name_thread(pthread_self(), name); }

int pin_thread(native_thread thread, int cpu) noexcept {
  if (cpu < 0 || cpu >= CPU_SETSIZE) return EINVAL;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(cpu), &set);
  return pthread_setaffinity_np(thread, sizeof set, &set);
}

int cpu_count() noexcept { return static_cast<int>(sysconf(_SC_NPROCESSORS_CONF)); }

std::int32_t this_thread_number() noexcept { return gettid(); }

std::string describe_cpus() {
  const int last = cpu_count() - 1;
  const std::string host = last <= 0 ? "0" : "0-" + std::to_string(last);
  std::string text = "this host has " + host;
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) text += ", and this thread may use " + list_of(allowed);
  return text;
}

std::string explain_pinning(int problem) {
  if (problem == EPERM) return explain(problem) + "; a filter for system calls forbids sched_setaffinity";
  if (problem != EINVAL) return explain(problem);
  return "offline, or not in the control group's cpuset; " + describe_cpus();
}

// Returns the CPUs of the process, not of the calling thread, which may be pinned. The kernel has masks only for
// threads, so it takes that of the main thread.
std::vector<int> usable_cpus() {
  std::vector<int> cpus;
  // The kernel refuses a mask that is shorter than its own and does not report that length.
  for (int length = CPU_SETSIZE; length <= (1 << 16); length *= 2) {
    const std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*)> mask(CPU_ALLOC(static_cast<std::size_t>(length)),
                                                                [](cpu_set_t* each) { CPU_FREE(each); });
    const std::size_t bytes = CPU_ALLOC_SIZE(static_cast<std::size_t>(length));
    if (mask == nullptr) return cpus;
    CPU_ZERO_S(bytes, mask.get());
    if (sched_getaffinity(getpid(), bytes, mask.get()) != 0) continue;
    for (int cpu = 0; cpu < length; ++cpu) {
      if (CPU_ISSET_S(static_cast<std::size_t>(cpu), bytes, mask.get())) cpus.push_back(cpu);
    }
    return cpus;
  }
  return cpus;
}

setup_result set_up_worker_thread(const std::string& name, std::optional<int> cpu,
                                  std::optional<int> realtime_priority) {
  name_this_thread(name);
  // The kernel may delay a sleeper's wake-up by this much; the default is 50 microseconds. Only the thread itself can
  // set it.
  prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
  if (cpu) {
    if (int failed = pin_thread(pthread_self(), *cpu); failed != 0)
      return {code_of(failed), "cpu = " + std::to_string(*cpu) + ": " + explain_pinning(failed)};
  }
  if (realtime_priority) {
    sched_param wanted{};
    wanted.sched_priority = *realtime_priority;
    // Threads and processes that callbacks start would also be real-time and would starve the host.
    const int policy = SCHED_FIFO | SCHED_RESET_ON_FORK;
    if (int failed = pthread_setschedparam(pthread_self(), policy, &wanted); failed != 0)
      return {code_of(failed), "realtime_priority = " + std::to_string(*realtime_priority) + ": " +
                                   explain_priority(*realtime_priority, failed)};
  }
  return {};
}

}  // namespace detent::detail
