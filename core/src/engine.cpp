// SPDX-License-Identifier: MIT
// The public engine: a thin shell around its counted core.
#include <detent/engine.hpp>

#include "engine_core.hpp"
#include "options_check.hpp"

#include <memory>
#include <utility>

namespace detent {
namespace {

struct made_core {
  detail::engine_core* core = nullptr;
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
    auto core = std::make_unique<detail::engine_core>(std::move(options));
    made.problem = core->open(made.why);
    if (made.problem == errc{}) made.core = core.release();
  } catch (const std::bad_alloc&) {
    made.problem = errc::out_of_memory;
    made.why = "reserve = " + std::to_string(reserve) + ": no memory for so many timers ahead";
  }
  return made;
}

}  // namespace

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
  if (core_ != nullptr) core_->end();
  core_ = nullptr;
}

std::vector<unfired> engine::stop() {
  std::vector<unfired> left;
  errc problem = core_->stop(&left);
  if (problem != errc{}) throw error(make_error_code(problem), "engine \"" + core_->options().name + "\": stop()");
  return left;
}

std::vector<unfired> engine::try_stop(std::error_code& problem) noexcept {
  std::vector<unfired> left;
  errc failed = core_->stop(&left);
  problem = failed == errc{} ? std::error_code{} : make_error_code(failed);
  return left;
}

bool engine::stopped() const noexcept { return core_->stopped(); }
std::size_t engine::pending() const noexcept { return core_->pending(); }
engine_metrics engine::metrics() const { return core_->metrics(); }
engine_metrics engine::metrics(label of) const { return core_->metrics(of); }
label engine::make_label(std::string_view name) { return core_->make_label(name); }
std::vector<pending_timer> engine::list_pending() const { return core_->list_pending(); }
time_point engine::now() const noexcept { return detail::to_time(core_->time().now()); }
std::size_t engine::poll(std::size_t max_callbacks) { return core_->poll(max_callbacks); }
int engine::wake_fd() { return core_->open_wake_fd(); }

std::optional<time_point> engine::next_deadline() {
  std::optional<detail::nanoseconds_t> next = core_->next_deadline();
  if (!next) return std::nullopt;
  return detail::to_time(*next);
}

}  // namespace detent
