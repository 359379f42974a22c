// SPDX-License-Identifier: MIT
#include "trouble.hpp"

#include "../stores/clocks.hpp"

#include <algorithm>
#include <cstdio>

namespace detent::durable::detail {
namespace {

constexpr std::chrono::nanoseconds first_delay = std::chrono::milliseconds(10);

}  // namespace

bool trouble::ok(errc code) {
  const errc before = std::exchange(code_, code);
  if (code == errc{}) {
    delay_ = {};
    if (before != errc{}) report({}, store_ + ": answers again");
    return true;
  }
  ++failures_;
  const std::chrono::nanoseconds longest = std::max<std::chrono::nanoseconds>(how_.lease / 8, first_delay);
  delay_ = std::clamp<std::chrono::nanoseconds>(delay_ * 2, first_delay, longest);
  retry_at_ = elapsed() + delay_;
  if (before != code) report(code, store_ + ": " + make_error_code(code).message());
  return false;
}

void trouble::report(std::error_code code, const std::string& line) noexcept {
  if (how_.on_trouble) {
    try {
      how_.on_trouble(code, line);
    } catch (...) {  // it is the last resort itself
      std::fputs("detent: on_trouble threw\n", stderr);
    }
    return;
  }
  const std::chrono::nanoseconds now = elapsed();
  if (now - last_line_ < std::chrono::seconds(1)) return;
  last_line_ = now;
  std::fprintf(stderr, "detent: durable timers: %s\n", line.c_str());
}

}  // namespace detent::durable::detail
