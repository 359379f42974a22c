// SPDX-License-Identifier: MIT
// The cold part of a node keeps the properties that few timers have.
#include "callers/members.hpp"
#include "callers/scheduling.hpp"

namespace detent::detail {
namespace {

// The options that one-shots and periodic timers share.
struct common_options {
  detent::label label;
  std::uint64_t tag = 0;
  const executor* runs_on = nullptr;
  std::uint8_t lane = 0;
};

common_options common(const plan& when) noexcept {
  const auto of = [](const auto& options) -> common_options {
    return {options.label, options.tag, options.executor, options.lane};
  };
  return when.periodic != nullptr   ? of(*when.periodic)
         : when.one_shot != nullptr ? of(*when.one_shot)
                                    : common_options{};
}

const executor* executor_of(const plan& when) noexcept {
  const executor* own = common(when).runs_on;
  return own != nullptr ? own : when.group_executor;
}

cold_part cold_part_of(const plan& when, nanoseconds_t grid) noexcept {
  if (when.kind != period_kind::none) {
    return {.grid = grid,
            .period = when.period,
            .runs_left = when.periodic->runs,
            .kind = when.kind,
            .missed_policy = when.periodic->missed_policy,
            .slack = when.periodic->slack.count()};
  }
  static constexpr timer_options defaults;
  const timer_options& options = when.one_shot != nullptr ? *when.one_shot : defaults;
  return {.max_lateness = options.max_lateness.count(), .stale = options.stale, .slack = options.slack.count()};
}

}  // namespace

// No timer is plain under ThreadSanitizer, because the fast paths annotate nothing.
bool is_plain(const engine_core& core, const plan& when) noexcept {
  if (when.kind != period_kind::none || when.group != nullptr || base::is_watched_from_outside()) return false;
  const timer_options* options = when.one_shot;
  return options == nullptr ||
         (options->max_lateness == (duration::max)() && options->slack == duration(0) && options->lane == 0 &&
          options->label == label() && options->tag == 0 &&
          (options->executor == nullptr || (core.runs_inline && options->executor == on_driver())));
}

bool is_critical(const plan& when) noexcept { return common(when).lane != 0; }

bool is_possible(const engine_core& core, const plan& when) noexcept {
  auto within = [&core](const auto& options) {
    return options.lane < lane_count && options.slack >= duration(0) && core.labels.has(options.label) &&
           (options.executor == nullptr || core.executors.has(*options.executor));
  };
  return (when.one_shot == nullptr || within(*when.one_shot)) && (when.periodic == nullptr || within(*when.periodic));
}

std::uint64_t describe(engine_core& core, node_index index, const plan& when, nanoseconds_t grid) noexcept {
  if (core.captures_origin) core.nodes.origin(index).set(when.where.file(), when.where.line(), core.time.now());
  if (is_plain(core, when)) return 0;
  cold_node& cold = core.cold_at(index);
  std::uint64_t flags = state_word::cold | (base::is_watched_from_outside() ? state_word::owning : 0);
  cold.set_group(when.group);
  if (when.group != nullptr) {
    cold.set_epoch(epoch_of_new_member(*when.group));
    cold.enrolled = false;
    flags |= state_word::owning;  // no fast path: its group must hear of its end
  }
  const common_options options = common(when);
  cold.set_label(core.labels.number(options.label));
  if (label_block* block = core.labels.find(cold)) {
    block->add(label_counter::scheduled);
    core.seen.begun(block);
    flags |= state_word::owning;  // as above
  }
  cold.set_tag(options.tag);
  const executor* const runs_on = executor_of(when);
  cold.set_lane(options.lane, runs_on == nullptr ? std::uint8_t{0} : core.executors.number(*runs_on));
  // Relaxed, both: a hint for the driver, which finds the timer by the ring in any case.
  if (options.lane != 0) {
    if (!core.critical_in_use.load(base::relaxed)) core.critical_in_use.store(true, base::relaxed);
    flags |= state_word::owning;  // no fast path: its entries go into a queue of their own
  }
  static_cast<cold_part&>(cold) = cold_part_of(when, grid);
  return when.kind == period_kind::none ? flags : flags | state_word::periodic;
}

}  // namespace detent::detail
