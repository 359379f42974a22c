// SPDX-License-Identifier: MIT
// An engine's life, its figures and its drive, as a C program sees them.
#include "callback.hpp"
#include "engine_handle.hpp"
#include "last_error.hpp"
#include "metrics.hpp"
#include "options.hpp"

#include <cstdio>
#include <optional>
#include <string_view>
#include <vector>

namespace detent::c {

constinit thread_local callback* callback::where_unfired = nullptr;

namespace {

// Returns the callback that `left` would have run.
callback taken_out_of(unfired_timer& left) {
  callback taken{};
  callback* const outer = std::exchange(callback::where_unfired, &taken);
  left.run();
  callback::where_unfired = outer;
  return taken;
}

}  // namespace
}  // namespace detent::c

using detent::c::are_given;
using detent::c::guarded;

detent_engine* detent_engine_create(const detent_options* options, char* error, std::size_t error_size) {
  auto* made = guarded(static_cast<detent_engine*>(nullptr), [options] {
    return new detent_engine(options != nullptr ? detent::c::translate(*options) : detent::engine_options{});
  });
  if (error != nullptr && error_size != 0)
    std::snprintf(error, error_size, "%s", made == nullptr ? detent::c::last_error_text() : "");
  return made;
}

void detent_engine_destroy(detent_engine* engine) { delete engine; }

int detent_stop(detent_engine* engine, detent_unfired each, void* argument) {
  if (!are_given("engine", engine)) return -1;
  std::optional<std::vector<detent::unfired_timer>> left =
      guarded(std::nullopt, [engine] { return std::optional(engine->engine.stop()); });
  if (!left) return -1;
  if (each == nullptr) return 0;
  for (detent::unfired_timer& timer : *left) {
    const detent_timer id = engine->id_of(timer.handle);
    const std::int64_t deadline = timer.deadline.time_since_epoch().count();
    const detent::c::callback taken = detent::c::taken_out_of(timer);
    each(argument, id, deadline, taken.function, taken.context);
  }
  return 0;
}

int detent_is_stopped(const detent_engine* engine) {
  return are_given("engine", engine) && engine->engine.stopped() ? 1 : 0;
}
std::size_t detent_pending(const detent_engine* engine) {
  return are_given("engine", engine) ? engine->engine.pending() : 0;
}
std::int32_t detent_worker_thread_id(const detent_engine* engine) {
  return are_given("engine", engine) ? engine->engine.worker_thread_id() : 0;
}
int detent_clock(const detent_engine* engine, const char** reason) {
  if (!are_given("engine", engine)) return -1;
  return guarded(-1, [=] {
    const detent::clock_report seen = engine->engine.metrics().clock;
    if (reason != nullptr) *reason = seen.reason;
    return std::string_view(seen.name) == "tsc" ? int{DETENT_CLOCK_TSC} : int{DETENT_CLOCK_STEADY};
  });
}
std::int64_t detent_now() { return detent::clock::now().time_since_epoch().count(); }

std::size_t detent_poll(detent_engine* engine, std::size_t max) {
  if (!are_given("engine", engine)) return DETENT_FAILED;
  return guarded(DETENT_FAILED, [=] { return engine->engine.poll(max); });
}

int detent_wake_fd(detent_engine* engine) {
  if (!are_given("engine", engine)) return -1;
  return guarded(-1, [engine] { return engine->engine.wake_fd(); });
}

int detent_next_deadline(detent_engine* engine, std::int64_t* deadline_ns) {
  if (!are_given("engine", engine, "deadline_ns", deadline_ns)) return -1;
  return guarded(-1, [=] {
    const std::optional<detent::time_point> next = engine->engine.next_deadline();
    if (!next) return 0;
    *deadline_ns = next->time_since_epoch().count();
    return 1;
  });
}

int detent_read_metrics(const detent_engine* engine, detent_metrics* metrics) {
  if (!are_given("engine", engine, "metrics", metrics)) return -1;
  return guarded(-1, [=] {
    *metrics = detent::c::translate(engine->engine.metrics());
    return 0;
  });
}
