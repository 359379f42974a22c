// SPDX-License-Identifier: MIT
// The public engine: a thin shell around its counted core.
#include <detent/engine.hpp>

#include "callers/pending_list.hpp"
#include "driver/poll.hpp"
#include "engine/driven_engine.hpp"
#include "engine/options_check.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

namespace detent {

namespace {

using detail::driven_engine;

struct made_core {
  driven_engine* core = nullptr;
  errc problem{};
  std::string why;
};

made_core make_core(engine_options options) {
  made_core made;
  made.why = detail::settle_options(options);
  if (!made.why.empty()) {
    made.problem = errc::invalid_option;
    return made;
  }
  const std::size_t reserve = options.reserve;
  try {
    auto core = std::make_unique<driven_engine>(std::move(options));
    made.problem = core->open(made.why);
    if (made.problem == errc{}) made.core = core.release();
  } catch (const std::bad_alloc&) {
    made.problem = errc::out_of_memory;
    made.why = "reserve = " + std::to_string(reserve) + ": no memory for that many timers ahead";
  }
  return made;
}

// Every engine is a whole one.
driven_engine& whole(detail::engine_core& core) noexcept { return static_cast<driven_engine&>(core); }

}  // namespace

void detail::throw_schedule_error(const engine_core& core, errc problem, nanoseconds_t period) {
  const engine_options& options = core.options;
  std::string what = "engine \"" + options.name + "\"";
  if (problem == errc::capacity_exceeded) what += ": capacity = " + std::to_string(options.capacity);
  if (problem == errc::invalid_option) what += ": lane is 0 to 3, slack is not negative, and label of this engine";
  if (problem == errc::invalid_period) what += ": period = " + std::to_string(period) + " ns";
  throw error(make_error_code(problem), what);
}

void detail::used_after_move(const char* object, const char* call) noexcept {
  const int length = static_cast<int>(std::strcspn(call, "<"));  // g++ names a template with its arguments
  std::fprintf(stderr, "detent: %.*s() was called on a detent::%s that has been moved from\n", length, call, object);
  std::abort();
}

engine::engine(engine_options options) : core_(nullptr) {
  const std::string name = options.name;
  made_core made = make_core(std::move(options));
  if (made.core == nullptr) throw error(make_error_code(made.problem), "engine \"" + name + "\": " + made.why);
  core_ = made.core;
}

std::optional<engine> engine::try_create(engine_options options, std::error_code& problem) noexcept {
  try {
    made_core made = make_core(std::move(options));
    problem = made.core != nullptr ? std::error_code{} : make_error_code(made.problem);
    if (made.core != nullptr) return engine(made.core);
  } catch (const std::bad_alloc&) {
    problem = make_error_code(errc::out_of_memory);
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

std::vector<unfired> engine::stop() {
  std::vector<unfired> left;
  errc problem = whole(core()).stop(&left);
  if (problem != errc{}) throw error(make_error_code(problem), "engine \"" + core_->options.name + "\": stop()");
  return left;
}

std::vector<unfired> engine::try_stop(std::error_code& problem) noexcept {
  std::vector<unfired> left;
  errc failed = whole(core()).stop(&left);
  problem = failed == errc{} ? std::error_code{} : make_error_code(failed);
  return left;
}

bool engine::stopped() const noexcept { return core().stopped(); }
std::size_t engine::pending() const noexcept { return detail::count_pending(core()); }
engine_metrics engine::metrics() const { return metrics_of(whole(core())); }
engine_metrics engine::metrics(label of) const { return metrics_of(core(), of); }
label engine::make_label(std::string_view name) { return whole(core()).make_label(name); }
std::vector<pending_timer> engine::list_pending() const { return detail::list_pending(core()); }
pid_t engine::worker_thread_id() const noexcept { return core().life.worker().id; }
pthread_t engine::native_handle() const noexcept { return core().life.worker().handle; }
time_point engine::now() const noexcept { return detail::to_time(core().time.now()); }
std::size_t engine::poll(std::size_t max_callbacks) {
  return detail::poll(core(), whole(core()).drives(), max_callbacks);
}
int engine::wake_fd() { return detail::open_wake_fd(core(), whole(core()).drives()); }

std::optional<time_point> engine::next_deadline() {
  std::optional<detail::nanoseconds_t> next = detail::next_deadline(core(), whole(core()).drives());
  if (!next) return std::nullopt;
  return detail::to_time(*next);
}

}  // namespace detent
