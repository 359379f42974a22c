// SPDX-License-Identifier: MIT
#pragma once

#include "../stores/clocks.hpp"

#include <detent/base/forced_unwind.hpp>
#include <detent/durable_error.hpp>
#include <detent/durable_options.hpp>
#include <detent/durable_store.hpp>

#include <algorithm>
#include <array>
#include <exception>
#include <utility>

namespace detent::durable::detail {

// Keeps track of whether the store answers, decides when to try again if it does not, and reports it to the program.
// Used by the thread that talks to the store.
class trouble {
 public:
  // Each of these can fail while the others work: a full store refuses operations and still renews terms. `parts`
  // stands for the parts of a store that lies on several servers.
  enum class of : unsigned char { ends, operations, answers, reading, rules, parts, dead };

  trouble(const options& how, std::string_view store_name, const clocks& by)
      : how_(how), store_(store_name), clock_(by) {}

  const clocks& clock() const noexcept { return clock_; }

  // Notes the result of a call and returns whether it succeeded. Reports the first failure with each code, repeats that
  // each minute, and reports when failures are over.
  bool ok(of what, errc code);
  bool fails(of what) const noexcept { return all_[static_cast<std::size_t>(what)].fails(); }
  bool failing() const noexcept { return std::ranges::any_of(all_, &state::fails); }
  // The time by elapsed() of the next try.
  std::chrono::nanoseconds retry_at(of what) const noexcept {
    const state& its = all_[static_cast<std::size_t>(what)];
    return its.fails() ? its.retry_at : std::chrono::nanoseconds(0);
  }
  std::uint64_t failures() const noexcept { return failures_; }

  void report(std::error_code code, const std::string& line) noexcept;
  // Calls a callback of the program. An exception from it is reported and goes no further.
  template <class F, class... Values>
  void call(const F& callback, Values&&... values) noexcept {
    if (!callback) return;
    try {
      base::kept_thread called({"durable timers", nullptr, "a callback"});
      callback(std::forward<Values>(values)...);
      called.returned();
    } catch (const std::exception& problem) {
      report({}, std::string("a callback threw: ") + problem.what());
    } catch (...) {
      report({}, "a callback threw");
    }
  }

 private:
  struct state {
    errc code{};
    std::chrono::nanoseconds retry_at{};
    std::chrono::nanoseconds delay{};

    bool fails() const noexcept { return code != errc{}; }
  };

  const options& how_;
  const std::string store_;
  const clocks& clock_;
  std::array<state, 7> all_{};
  std::chrono::nanoseconds last_line_{};
  std::uint64_t failures_ = 0;
  std::chrono::nanoseconds fails_since_{}, say_again_at_{};
};

}  // namespace detent::durable::detail
