// SPDX-License-Identifier: MIT
#include "callers/refusals.hpp"

#include <detent/detail/schedule.hpp>

namespace detent::detail {
namespace {

// Which option of a timer is impossible.
std::string explain_options(const engine_core& core, const timer_options& options) {
  if (options.lane >= lane_count)
    return "lane = " + std::to_string(options.lane) + ": must be 0 to " + std::to_string(lane_count - 1);
  if (options.slack < duration(0))
    return "slack = " + std::to_string(options.slack.count()) + " ns: must not be negative";
  if (!core.labels.has(options.label))
    return "label = \"" + std::string(options.label.name()) +
           "\": another engine's; make it by make_label() of this engine";
  if (options.executor != nullptr && !core.executors.has(*options.executor)) return foreign_executor;
  return explain(core, errc::invalid_option);
}

[[noreturn]] void refuse_timer(const engine_core& core, errc problem, const timer_options& options) {
  std::string why = problem == errc::invalid_option ? explain_options(core, options) : explain(core, problem);
  if (problem == errc::out_of_memory) why += " for another timer; engine_options::reserve takes it ahead";
  throw error(problem, prefix_of(core) + why);
}

}  // namespace

std::string prefix_of(const engine_core& core) { return "engine \"" + core.options.name + "\": "; }

std::string explain(const engine_core& core, errc problem) {
  switch (problem) {
    case errc::capacity_exceeded:
      return "max_pending = " + std::to_string(core.options.max_pending) +
             ": that many timers are pending; raise it, or cancel some first";
    case errc::stopped:
      if (core.life.is_open()) return "the timer's group has ended, and takes no timers any more";
      return core.stopped() ? "it is stopped, and takes no timers any more"
                            : "it is closed, and takes no timers any more";
    case errc::called_from_callback:
      return "called from a callback of this engine, for which it would wait; call it from another thread";
    case errc::forked: return "it belongs to the parent process; make another one in the child";
    default: return make_error_code(problem).message();
  }
}

void refuse(const engine_core& core, const char* call, errc problem) {
  throw error(problem, prefix_of(core) + call + ": " + explain(core, problem));
}

void throw_schedule_error(const engine_core& core, errc problem) { refuse_timer(core, problem, timer_options()); }

void throw_schedule_error(const engine_core& core, errc problem, const timer_options& options) {
  refuse_timer(core, problem, options);
}

void throw_schedule_error(const engine_core& core, errc problem, const periodic_options& options, duration period) {
  if (problem == errc::invalid_period)
    throw error(problem,
                prefix_of(core) + "period = " + std::to_string(period.count()) + " ns: must be more than 0 ns");
  refuse_timer(core, problem,
               {.label = options.label, .lane = options.lane, .slack = options.slack, .executor = options.executor});
}

}  // namespace detent::detail
