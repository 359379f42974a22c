// SPDX-License-Identifier: MIT
#include <detent/durable_error.hpp>
#include <detent/durable_options.hpp>

#include <string>

namespace detent::durable {
namespace {

class category final : public std::error_category {
 public:
  const char* name() const noexcept override { return "detent.durable"; }
  std::string message(int code) const override {
    switch (static_cast<errc>(code)) {
      case errc::unavailable: return "the store does not answer";
      case errc::outbox_full: return "too many operations wait for the store";
      case errc::exists: return "the key names a timer already";
      case errc::too_large: return "the key, the handler's name or the payload is too large";
      case errc::unknown_handler: return "this node has no such handler or schedule";
      case errc::fenced: return "the term is over";
      case errc::foreign_format: return "a version of another format has written the store";
      case errc::in_use: return "another process has the store, or may have it as its lock was removed";
      case errc::not_permitted: return "the store denies it";
      case errc::unsupported: return "the store cannot do that, or its server is too old";
      case errc::corrupt: return "the store cannot be read";
      case errc::gone: return "there is no such timer";
      case errc::stopped: return "the timers have ended";
    }
    return "unknown error " + std::to_string(code);
  }
};

}  // namespace

const std::error_category& error_category() noexcept {
  static const category instance;
  return instance;
}

std::string_view name_of(stall reason) noexcept {
  switch (reason) {
    case stall::store_away: return "store_away";
    case stall::clock_off: return "clock_off";
    case stall::no_shard: return "no_shard";
    case stall::unknown_handler: return "unknown_handler";
    case stall::none: break;
  }
  return "none";
}

std::error_code make_error_code(errc code) noexcept { return {static_cast<int>(code), error_category()}; }

}  // namespace detent::durable
