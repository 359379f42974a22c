// SPDX-License-Identifier: MIT
#include "trouble.hpp"

#include <cstdio>

namespace detent::durable::detail {
namespace {

constexpr std::chrono::nanoseconds first_delay = std::chrono::milliseconds(10);
constexpr std::chrono::nanoseconds between_lines = std::chrono::minutes(1);

}  // namespace

bool trouble::ok(of what, errc code) {
  state& its = all_[static_cast<std::size_t>(what)];
  const errc before = its.code;
  if (code == errc{}) {
    its = {};
    if (before != errc{} && !failing()) report({}, store_ + ": answers again");
    return true;
  }
  ++failures_;
  const std::chrono::nanoseconds now = clock_.elapsed();
  if (!failing()) {
    fails_since_ = now;
    say_again_at_ = now + between_lines;
  }
  const bool known = std::ranges::find(all_, code, &state::code) != all_.end();
  const std::chrono::nanoseconds longest = std::max<std::chrono::nanoseconds>(how_.lease / 8, first_delay);
  its.code = code;
  its.delay = std::clamp<std::chrono::nanoseconds>(its.delay * 2, first_delay, longest);
  its.retry_at = now + its.delay;
  std::string line = store_ + ": " + make_error_code(code).message();
  if (!known) {
    report(code, line);
  } else if (now >= say_again_at_) {
    say_again_at_ = now + between_lines;
    line += ", for " + std::to_string(std::chrono::duration_cast<std::chrono::seconds>(now - fails_since_).count());
    report(code, line + " s now");
  }
  return false;
}

void trouble::report(std::error_code code, const std::string& line) noexcept {
  if (how_.on_trouble) {
    try {
      base::kept_thread called({"durable timers", nullptr, "on_trouble"});
      how_.on_trouble(code, line);
      called.returned();
    } catch (...) {  // this is the last resort already
      std::fputs("detent: on_trouble threw\n", stderr);
    }
    return;
  }
  const std::chrono::nanoseconds now = clock_.elapsed();
  if (now - last_line_ < std::chrono::seconds(1)) return;
  last_line_ = now;
  std::fprintf(stderr, "detent: durable timers: %s\n", line.c_str());
}

}  // namespace detent::durable::detail
