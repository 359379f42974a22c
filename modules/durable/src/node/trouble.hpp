// SPDX-License-Identifier: MIT
#pragma once

#include <detent/durable_error.hpp>
#include <detent/durable_options.hpp>
#include <detent/durable_store.hpp>

#include <chrono>
#include <exception>
#include <string>
#include <string_view>
#include <utility>

namespace detent::durable::detail {

// Whether the store answers, when to try again where it does not, and how the program learns of it. By the thread that
// talks to the store.
class trouble {
 public:
  trouble(const options& how, std::string_view store_name) : how_(how), store_(store_name) {}

  // What a call came to: true if it succeeded. Reports when that changes.
  bool ok(errc code);
  bool failing() const noexcept { return code_ != errc{}; }
  // By elapsed(): not to ask before.
  std::chrono::nanoseconds retry_at() const noexcept { return failing() ? retry_at_ : std::chrono::nanoseconds(0); }
  std::uint64_t failures() const noexcept { return failures_; }

  void report(std::error_code code, const std::string& line) noexcept;
  // What a callback of the program throws is reported, and goes no further.
  template <class F, class... Values>
  void call(const F& callback, Values&&... values) noexcept {
    if (!callback) return;
    try {
      callback(std::forward<Values>(values)...);
    } catch (const std::exception& problem) {
      report({}, std::string("a callback threw: ") + problem.what());
    } catch (...) {
      report({}, "a callback threw");
    }
  }

 private:
  const options& how_;
  const std::string store_;
  errc code_{};
  std::chrono::nanoseconds retry_at_{};
  std::chrono::nanoseconds delay_{};
  std::chrono::nanoseconds last_line_{};
  std::uint64_t failures_ = 0;
};

}  // namespace detent::durable::detail
