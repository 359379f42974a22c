// SPDX-License-Identifier: MIT
#include "platform/cures.hpp"

#include <sys/resource.h>

#include <cerrno>
#include <cstring>

namespace detent::detail {
namespace {

// Returns the limit that is in force, as in "RLIMIT_NOFILE, which is 1024".
std::string limit_text(const char* name, decltype(RLIMIT_NOFILE) which) {
  rlimit limit{};
  if (getrlimit(which, &limit) != 0) return name;
  const bool none = limit.rlim_cur == RLIM_INFINITY;
  return std::string(name) + ", which is " + (none ? "unlimited" : std::to_string(limit.rlim_cur));
}

}  // namespace

std::string words_of(int problem) { return std::strerror(problem); }

std::string cure_of(int problem) {
  switch (problem) {
    case EACCES: return "the user must be allowed to write there";
    case ENOENT: return "its folder must exist";
    case EISDIR: return "name a file in it";
    case EAGAIN:
      return "raise " + limit_text("RLIMIT_NPROC", RLIMIT_NPROC) +
             " (ulimit -u, LimitNPROC= of the service), or the control group's pids.max (TasksMax=), or free memory "
             "for a "
             "thread's stack";
    case EMFILE:
      return "raise " + limit_text("RLIMIT_NOFILE", RLIMIT_NOFILE) + " (ulimit -n, LimitNOFILE= of the service)";
    case ENFILE: return "raise the host's limit (sysctl fs.file-max)";
    case EFBIG: return "raise " + limit_text("RLIMIT_FSIZE", RLIMIT_FSIZE) + " (ulimit -f, LimitFSIZE= of the service)";
    default: return {};
  }
}

}  // namespace detent::detail
