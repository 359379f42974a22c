// SPDX-License-Identifier: MIT
#include <detent/error.hpp>

#include <string>

namespace detent {
namespace {

class category final : public std::error_category {
 public:
  const char* name() const noexcept override { return "detent"; }
  std::string message(int code) const override {
    switch (static_cast<errc>(code)) {
      case errc::capacity_exceeded: return "the engine's capacity is exceeded";
      case errc::stopped: return "the engine is stopped";
      case errc::invalid_option: return "an option is invalid";
      case errc::invalid_period: return "a period must be positive";
      case errc::called_from_callback: return "called from one of the engine's own callbacks";
      case errc::wrong_drive: return "the engine is driven by its own worker";
      case errc::forked: return "the engine belongs to the parent process";
      case errc::not_permitted: return "not permitted";
      case errc::out_of_memory: return "out of memory";
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

}  // namespace detent
