// SPDX-License-Identifier: MIT
// The public engine's beginning and its end.
#include <detent/engine.hpp>

#include <detent/base/forced_unwind.hpp>

#include "callers/last_failure.hpp"
#include "callers/refusals.hpp"
#include "engine/driven_engine.hpp"
#include "engine/options_check.hpp"
#include "limits.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>
#include <utility>

namespace detent {

namespace {

using detail::driven_engine;
using detail::whole;

struct made_core {
  driven_engine* core = nullptr;
  errc problem{};
  std::string why;
};

made_core make_core(engine_options options, const detail::optional_parts& parts) {
  const base::cancel_hold held;
  made_core made;
  made.why = detail::settle_options(options);
  if (!made.why.empty()) {
    made.problem = errc::invalid_option;
    return made;
  }
  const std::size_t reserve = options.reserve;
  try {
    auto core = std::make_unique<driven_engine>(std::move(options), parts);
    made.problem = core->open(made.why);
    if (made.problem == errc{}) made.core = core.release();
    if (made.problem != errc{} && made.why.empty()) made.why = make_error_code(made.problem).message();
  } catch (const std::bad_alloc&) {
    made.problem = errc::out_of_memory;
    made.why = "reserve = " + std::to_string(reserve) + ": no memory for that many timers ahead; lower it";
  }
  return made;
}

driven_engine* core_or_throw(engine_options options, const detail::optional_parts& parts) {
  const std::string name = options.name;
  made_core made = make_core(std::move(options), parts);
  if (made.core == nullptr) throw error(make_error_code(made.problem), detail::prefix_of(name) + made.why);
  return made.core;
}

constexpr detail::optional_parts every_part{detail::make_counters_file, detail::open_recording};

}  // namespace

void detail::used_after_move(const char* object, const char* call) noexcept {
  const int length = static_cast<int>(std::strcspn(call, "<"));  // g++ names a template with its arguments
  std::fprintf(stderr, "detent: %.*s() was called on a detent::%s that has been moved from\n", length, call, object);
  std::abort();
}

engine::engine() : core_(core_or_throw({}, {})) {}

engine::engine(engine_options options) : core_(core_or_throw(std::move(options), every_part)) {}

std::optional<engine> engine::try_create(engine_options options, failure& problem) noexcept {
  try {
    const std::string name = options.name;
    made_core made = make_core(std::move(options), every_part);
    if (made.core != nullptr) {
      problem = {};
      return engine(made.core);
    }
    problem = detail::failed(made.problem, [&] { return detail::prefix_of(name) + made.why; });
  } catch (const std::bad_alloc&) {
    problem = detail::failed(errc::out_of_memory, [] { return std::string(); });
  }
  return std::nullopt;
}

engine::engine(engine&& other) noexcept : core_(std::exchange(other.core_, nullptr)) {}

engine& engine::operator=(engine&& other) noexcept {
  if (this != &other) {
    let_go();
    core_ = std::exchange(other.core_, nullptr);
  }
  return *this;
}

engine::~engine() { let_go(); }

void engine::let_go() noexcept {
  // The core stays until its end is over: running callbacks and dying captures may use this engine, and find it
  // stopped.
  if (core_ != nullptr) whole(*core_).end();
  core_ = nullptr;
}

void engine::close() noexcept { whole(core()).close(); }

std::vector<unfired_timer> engine::stop() {
  std::vector<unfired_timer> left;
  errc problem = whole(core()).stop(&left);
  if (problem != errc{}) detail::refuse(*core_, "stop()", problem);
  return left;
}

std::vector<unfired_timer> engine::drain_for(detail::whole_duration at_most) {
  const detail::engine_core& of = core();
  errc problem = whole(core()).forbids_stop();
  if (problem != errc{}) detail::refuse(of, "drain_for()", problem);
  if (of.options.drive == drive_kind::caller)
    throw error(errc::wrong_drive,
                detail::prefix_of(of) +
                    "drain_for(): its caller drives it, so nothing would fire during the call; poll() until "
                    "pending() is 0, then stop()");
  const base::cancel_hold held;
  const time_point end = detail::to_time(detail::add_saturated(detail::to_ns(clock::now()), at_most.count()));
  for (time_point now = clock::now(); pending() != 0 && now < end && !stopped(); now = clock::now())
    std::this_thread::sleep_for(std::min(duration(detail::limits::stop_looks), end - now));
  return stop();
}

std::vector<unfired_timer> engine::try_stop(failure& problem) noexcept {
  std::vector<unfired_timer> left;
  const detail::engine_core& of = core();
  const errc why = whole(core()).stop(&left);
  problem = why == errc{} ? failure() : detail::failed(why, [&] {
    return detail::prefix_of(of) + "try_stop(): " + detail::explain(of, why);
  });
  return left;
}

}  // namespace detent
