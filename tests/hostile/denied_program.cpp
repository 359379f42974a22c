// SPDX-License-Identifier: MIT
// detent_denied PROGRAM [ARGUMENT...]: runs PROGRAM as the user nobody, without capabilities, on a kernel that has and
// permits as little as possible: no membarrier, huge pages, locked memory, NUMA, choice of processor, priority, trace.
#include <sched.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "hostile/drop_privileges.hpp"

namespace {

struct refused_call {
  int number;
  int error;
};

// The answers of a small container or an old kernel.
constexpr refused_call refused_calls[] = {
    {SCMP_SYS(membarrier), ENOSYS},      {SCMP_SYS(mlock), EPERM},         {SCMP_SYS(mlock2), EPERM},
    {SCMP_SYS(mlockall), EPERM},         {SCMP_SYS(mbind), ENOSYS},        {SCMP_SYS(set_mempolicy), ENOSYS},
    {SCMP_SYS(move_pages), ENOSYS},      {SCMP_SYS(migrate_pages), EPERM}, {SCMP_SYS(sched_setscheduler), EPERM},
    {SCMP_SYS(sched_setparam), EPERM},   {SCMP_SYS(sched_setattr), EPERM}, {SCMP_SYS(sched_setaffinity), EPERM},
    {SCMP_SYS(setpriority), EPERM},      {SCMP_SYS(ioprio_set), EPERM},    {SCMP_SYS(ptrace), EPERM},
    {SCMP_SYS(perf_event_open), EACCES}, {SCMP_SYS(bpf), EPERM},           {SCMP_SYS(io_uring_setup), ENOSYS},
};

// Calls that are refused only with one value of their argument.
struct refused_argument {
  int number;
  unsigned argument;
  std::uint64_t mask;
  std::uint64_t value;
  int error;
};

constexpr std::uint64_t whole = UINT64_MAX;
constexpr int populate_write = 23;  // MADV_POPULATE_WRITE, from Linux 5.14 on

constexpr refused_argument refused_arguments[] = {
    {SCMP_SYS(madvise), 2, whole, MADV_HUGEPAGE, EINVAL},  {SCMP_SYS(madvise), 2, whole, MADV_NOHUGEPAGE, EINVAL},
    {SCMP_SYS(madvise), 2, whole, populate_write, EINVAL}, {SCMP_SYS(mmap), 3, MAP_HUGETLB, MAP_HUGETLB, ENOMEM},
    {SCMP_SYS(prctl), 0, whole, PR_SET_TIMERSLACK, EPERM},
};

// 0, or a negative error number.
int install_filter() {
  const scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
  if (filter == nullptr) return -ENOMEM;
  int failed = 0;
  for (const refused_call& call : refused_calls) {
    if (failed == 0)
      failed = seccomp_rule_add(filter, SCMP_ACT_ERRNO(static_cast<unsigned>(call.error)), call.number, 0);
  }
  for (const refused_argument& call : refused_arguments) {
    const scmp_arg_cmp is_that{call.argument, SCMP_CMP_MASKED_EQ, call.mask, call.value};
    if (failed == 0) {
      failed =
          seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(static_cast<unsigned>(call.error)), call.number, 1, &is_that);
    }
  }
  if (failed == 0) failed = seccomp_load(filter);
  seccomp_release(filter);
  return failed;
}

}  // namespace

int main(int count, char** words) {
  if (count < 2) {
    std::fprintf(stderr, "usage: detent_denied PROGRAM [ARGUMENT...]\n");
    return 2;
  }
  if (!detent::hostile::drop_privileges()) {
    std::fprintf(stderr, "detent_denied: privileges cannot be dropped: %s\n", std::strerror(errno));
    return 1;
  }
  if (const int failed = install_filter(); failed != 0) {
    std::fprintf(stderr, "detent_denied: no filter for system calls: %s\n", std::strerror(-failed));
    return 1;
  }
  execv(words[1], words + 1);
  std::fprintf(stderr, "detent_denied: %s: %s\n", words[1], std::strerror(errno));
  return 1;
}
