// SPDX-License-Identifier: MIT
#include <detent/error.hpp>

#include "platform/cures.hpp"

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
  const std::string cure = cure_of(problem);
  return cure.empty() ? words_of(problem) : words_of(problem) + "; " + cure;
}

}  // namespace detent
