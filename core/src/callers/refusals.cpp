// SPDX-License-Identifier: MIT
#include "callers/refusals.hpp"

#include <detent/base/compiler.hpp>

#include "callers/last_failure.hpp"

namespace detent::detail {
namespace {

obstacle why_not_taken(const engine_core& core) noexcept {
  if (core.life.is_open()) return obstacle::group_ended;
  return core.stopped() ? obstacle::stopped : obstacle::closed;
}

// Checks the options of all kinds of timers.
template <class Options>
refusal why_impossible(const engine_core& core, const Options& options) noexcept {
  refusal why{.problem = errc::invalid_option};
  if (options.lane >= lane_count) {
    why.what = obstacle::lane;
    why.value = options.lane;
  } else if (options.slack < duration(0)) {
    why.what = obstacle::slack;
    why.value = options.slack.count();
  } else if (!core.labels.has(options.label)) {
    why.what = obstacle::label;
    why.label = options.label.name();
  } else if (options.executor != nullptr && !core.executors.has(*options.executor)) {
    why.what = obstacle::executor;
  }
  return why;
}

[[noreturn]] void refuse_timer(const engine_core& core, errc problem, const plan& when) {
  throw error(problem, prefix_of(core) + explain(why_refused(core, problem, when)));
}

}  // namespace

std::string prefix_of(const engine_core& core) { return prefix_of(core.options.name); }
std::string prefix_of(std::string_view engine) { return "engine \"" + std::string(engine) + "\": "; }

refusal why_refused(const engine_core& core, errc problem, const plan& when) noexcept {
  switch (problem) {
    case errc::capacity_exceeded:
      return {problem, obstacle::capacity, static_cast<std::int64_t>(core.options.max_pending), {}};
    case errc::stopped: return {.problem = problem, .what = why_not_taken(core)};
    case errc::invalid_period: return {.problem = problem, .what = obstacle::period, .value = when.period};
    case errc::out_of_memory: return {.problem = problem, .what = obstacle::no_memory_for_a_timer};
    case errc::invalid_option:
      if (when.periodic != nullptr) return why_impossible(core, *when.periodic);
      if (when.one_shot != nullptr) return why_impossible(core, *when.one_shot);
      break;
    default: break;
  }
  return {.problem = problem};
}

std::string explain(const refusal& why) {
  const std::string value = std::to_string(why.value);
  switch (why.what) {
    case obstacle::group_ended: return "the timer's group has ended, and takes no more timers";
    case obstacle::closed: return "it is closed, and takes no more timers";
    case obstacle::stopped: return "it is stopped, and takes no more timers";
    case obstacle::capacity:
      return "max_pending = " + value + ": that many timers are pending; raise it, or cancel some first";
    case obstacle::lane: return "lane = " + value + ": must be 0 to " + std::to_string(lane_count - 1);
    case obstacle::slack: return "slack = " + value + " ns: must not be negative";
    case obstacle::label:
      return "label = \"" + std::string(why.label) +
             "\": belongs to another engine; make it by make_label() of this engine";
    case obstacle::executor: return foreign_executor;
    case obstacle::period: return "period = " + value + " ns: must be more than 0 ns";
    case obstacle::no_memory_for_a_timer:
      return make_error_code(why.problem).message() + " for another timer; engine_options::reserve takes it ahead";
    case obstacle::other: break;
  }
  switch (why.problem) {
    case errc::called_from_callback:
      return "called from a callback of this engine, for which it would wait; call it from another thread";
    case errc::forked: return "it belongs to the parent process; make another one in the child";
    default: return make_error_code(why.problem).message();
  }
}

std::string explain(const engine_core& core, errc problem) {
  return explain(problem == errc::out_of_memory ? refusal{.problem = problem} : why_refused(core, problem, {}));
}

void refuse(const engine_core& core, const char* call, errc problem) {
  throw error(problem, prefix_of(core) + call + ": " + explain(core, problem));
}

DETENT_COLD timer refused(const engine_core& core, const plan& when, errc problem) noexcept {
  return timer_access::refusal(problem, last_failure::keep(core.options.name, why_refused(core, problem, when)));
}

void throw_schedule_error(const engine_core& core, errc problem) { refuse_timer(core, problem, {}); }

void throw_schedule_error(const engine_core& core, errc problem, const timer_options& options) {
  refuse_timer(core, problem, {.one_shot = &options});
}

void throw_schedule_error(const engine_core& core, errc problem, const periodic_options& options, duration period) {
  refuse_timer(core, problem, {.period = period.count(), .periodic = &options});
}

}  // namespace detent::detail
