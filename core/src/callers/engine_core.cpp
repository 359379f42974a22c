// SPDX-License-Identifier: MIT
#include "callers/engine_core.hpp"

#include "limits.hpp"

#include <detent/base/compiler.hpp>
#include <detent/detail/stoppable.hpp>

#include <utility>

namespace detent::detail {
namespace {

// A thread's cache holds up to two magazines that no other can take from: some for the first few threads. A thread that
// takes from the map of free nodes holds a group of it for that moment.
std::size_t nodes_ahead(std::size_t reserve) noexcept {
  return reserve == 0 ? 0 : reserve + limits::threads_ahead * node_pool::magazine_capacity + node_pool::map_group;
}

// Publishes all that a thread had not published when it ended.
void take_leave(void* engine, thread_record& leaving) noexcept {
  engine_core& core = *static_cast<engine_core*>(engine);
  core.pool.flush(leaving.cache);
  core.in.leave(leaving);
  const std::uint32_t unreported = limits::report_every - std::exchange(leaving.until_report, limits::report_every);
  if (unreported != 0 && !core.stopped()) core.in.report_pushes(leaving, unreported);
}

// At the end of the engine: what a record has of its memory.
void retire(void* engine, thread_record& old) noexcept { static_cast<engine_core*>(engine)->in.retire(old); }

bool enrol(void* engine, producer& made) noexcept { return static_cast<engine_core*>(engine)->in.enrol(made); }

bool has_fast_paths(const engine_options& options) noexcept {
  return options.max_pending == 0 && options.record.empty() && !options.capture_origin &&
         !base::is_watched_from_outside();  // the fast paths annotate nothing for ThreadSanitizer
}

}  // namespace

DETENT_COLD engine_core::engine_core(engine_options made_with, const optional_parts& parts)
    : executors(std::move(made_with.executor), std::move(made_with.executors)),
      options(std::move(made_with)),
      runs_inline(executors.empty()),
      runs_straight(runs_inline && has_fast_paths(options) && options.slow_threshold == (duration::max)()),
      ticks(options.tick.count()),
      by(choose_clock(options)),
      time(options.manual, by.tsc),
      captures_origin(options.capture_origin),
      pages(options.memory),
      pool(pages, nodes_ahead(options.reserve), captures_origin ? bytes_with_origin : sizeof(cold_node)),
      in(this, options.reserve),
      seen(this),
      counts(options, parts.make_counters_file),
      labels(counts, options.shard.set),
      threads({this, counts, enrol, take_leave, retire}),
      groups(options.reserve),
      places(options.max_pending),
      nodes{&pool, ticks},
      ledger(counts, runs_inline) {
  // More than the default was asked for by the user.
  if (options.reserve > engine_options{}.reserve && pool.ready()) pool.touch(options.reserve);
  const std::uint8_t steady = 0, tsc = 1, manual = 2;  // counters_layout::header::clock
  counts.name_clock(time.is_manual() ? manual : by.tsc != nullptr ? tsc : steady, by.why);
  if (has_fast_paths(options))
    threads.open_fast_paths(options.tick.count() == 1 ? fast_paths::exact_ticks : fast_paths::some);
}

DETENT_COLD engine_core::~engine_core() = default;

void engine_core::add_reference() noexcept {
  references.fetch_add(1, base::relaxed);  // relaxed: the caller holds one already
}

void engine_core::drop_reference() noexcept {
  // (1) acq_rel: pairs with itself, so that the last one sees all that the others did.
  base::show_release(&references);
  if (references.fetch_sub(1, base::acq_rel) != 1) return;
  base::show_acquire(&references);
  delete this;
}

errc engine_core::refusal() const noexcept {
  // A stop that comes later is met by the second check, after the push.
  switch (life.now()) {
    case lifecycle::phase::open: return errc{};
    case lifecycle::phase::forked: return errc::forked;
    default: return errc::stopped;
  }
}

void engine_core::disown() noexcept {
  life.disown(std::this_thread::get_id());
  threads.open_fast_paths(fast_paths::none);
  counts.disown();
  in.disown();
}

// Compiled as one piece; otherwise the queue's push, and the steps after it, would be calls of their own.
DETENT_FLATTEN DETENT_NOINLINE void submit(engine_core& core, thread_record& mine, std::uint64_t entry,
                                           nanoseconds_t deadline) noexcept {
  push_entry(core, mine, entry, deadline);
}

void submit_either(engine_core& core, thread_record& mine, std::uint64_t entry, nanoseconds_t deadline,
                   bool is_critical) noexcept {
  if (!is_critical) return submit(core, mine, entry, deadline);
  core.in.push_many(mine, &entry, 1, deadline, true);
}

void add_reference(engine_core& core) noexcept { core.add_reference(); }
void drop_reference(engine_core& core) noexcept { core.drop_reference(); }
bool has_stopped(const engine_core& core) noexcept { return core.stopped(); }
std::uint64_t own_tag(const engine_core& core, const void* operation) noexcept {
  return core.executors.keeps_order(0) ? reinterpret_cast<std::uintptr_t>(operation) : 0;
}

}  // namespace detent::detail
