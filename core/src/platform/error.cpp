// SPDX-License-Identifier: MIT
#include <detent/error.hpp>

#include <detent/base/platform/ground.hpp>

#if defined(DETENT_GROUND_LINUX)
#include <sys/resource.h>
#endif

#include <cerrno>
#include <cstring>

namespace detent {
namespace {

class category final : public std::error_category {
 public:
  const char* name() const noexcept override { return "detent"; }
  std::string message(int code) const override {
    switch (static_cast<errc>(code)) {
      case errc::capacity_exceeded: return "as many timers are pending as max_pending allows";
      case errc::stopped: return "the engine is stopped, or the group has ended";
      case errc::invalid_option: return "an option is invalid";
      case errc::invalid_period: return "a period must be positive";
      case errc::called_from_callback: return "called from one of the engine's own callbacks";
      case errc::wrong_drive: return "the engine is driven in another way";
      case errc::forked: return "the engine belongs to the parent process";
      case errc::not_permitted: return "not permitted";
      case errc::out_of_memory: return "out of memory";
      case errc::limit_reached: return "a limit of the system is reached";
      case errc::dropped: return "the timer was dropped or cancelled before its run";
    }
    return "unknown error " + std::to_string(code);
  }
};

#if defined(DETENT_GROUND_LINUX)
// Returns the limit that is in force, as in "RLIMIT_NOFILE, which is 1024".
std::string limit_text(const char* name, decltype(RLIMIT_NOFILE) which) {
  rlimit limit{};
  if (getrlimit(which, &limit) != 0) return name;
  const bool none = limit.rlim_cur == RLIM_INFINITY;
  return std::string(name) + ", which is " + (none ? "unlimited" : std::to_string(limit.rlim_cur));
}

// Returns a clause that names the cure for a refusal with `problem`, an errno. Empty if there is no cure to name.
std::string cure_of(int problem) {
  switch (problem) {
    case EACCES: return "the user must be allowed to write there";
    case ENOENT: return "its folder must exist";
    case EISDIR: return "name a file in it";
    case EAGAIN:
      return "raise " + limit_text("RLIMIT_NPROC", RLIMIT_NPROC) +
             " (ulimit -u, LimitNPROC= of the service), or the control group's pids.max (TasksMax=), or free memory "
             "for a thread's stack";
    case EMFILE:
      return "raise " + limit_text("RLIMIT_NOFILE", RLIMIT_NOFILE) + " (ulimit -n, LimitNOFILE= of the service)";
    case ENFILE: return "raise the host's limit (sysctl fs.file-max)";
    case EFBIG: return "raise " + limit_text("RLIMIT_FSIZE", RLIMIT_FSIZE) + " (ulimit -f, LimitFSIZE= of the service)";
    default: return {};
  }
}
#else
std::string cure_of(int problem) {
  return problem == EAGAIN ? "the system has no more threads, or no memory for a thread's stack" : "";
}
#endif

}  // namespace

const std::error_category& error_category() noexcept {
  static const category instance;
  return instance;
}

std::error_code make_error_code(errc code) noexcept { return {static_cast<int>(code), error_category()}; }

errc detail::code_of(int problem) noexcept {
  switch (problem) {
    case EACCES:
    case EBUSY:
    case EPERM:
    case EROFS: return errc::not_permitted;
    case EAGAIN:
#ifdef EDQUOT
    case EDQUOT:
#endif
    case EFBIG:
    case EMFILE:
    case ENFILE:
    case ENOSPC: return errc::limit_reached;
    case ENOMEM: return errc::out_of_memory;
    default: return errc::invalid_option;
  }
}

std::string detail::explain(int problem) {
#if !defined(DETENT_GROUND_LINUX)
  if (problem == ENOSYS) return "not on the portable ground; docs/portability.md says which options it has";
#endif
  const std::string words = std::strerror(problem), cure = cure_of(problem);
  return cure.empty() ? words : words + "; " + cure;
}

}  // namespace detent
