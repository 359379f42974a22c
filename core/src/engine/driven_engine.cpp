// SPDX-License-Identifier: MIT
#include "engine/driven_engine.hpp"

#include "engine/live_cores.hpp"

#include <new>

namespace detent::detail {

driven_engine::driven_engine(engine_options made_with)
    : engine_core(std::move(made_with)), driver_(make_driver(*this)), worker_(*this, *driver_) {
  // A caller that never asks for the wake_fd sleeps by its own means: nobody has to ring.
  if (options.drive == drive_kind::caller) in.bell.lower(INT64_MIN);
}

driven_engine::~driven_engine() = default;

errc driven_engine::open(std::string& why) {
  alloc::page_source::problem problem = pages.check();
  if (problem != alloc::page_source::problem::none) {
    why = pages.explain(problem);
    return problem == alloc::page_source::problem::no_memory ? errc::out_of_memory : errc::invalid_option;
  }
  if (errc unusable = counts.check(why); unusable != errc{}) return unusable;
  if (!pool.ready() || !threads.ready()) {
    why = "reserve = " + std::to_string(options.reserve) + ": no memory for that many timers ahead";
    return errc::out_of_memory;
  }
  if (!live_cores::watch_forks()) {
    why = "no memory for the fork handlers";
    return errc::out_of_memory;
  }
  if (errc unusable = recorder::make(seen.recording, time, options, why); unusable != errc{}) return unusable;
  if (options.drive == drive_kind::worker) {
    // A worker that spins raises the wake time all the time.
    if (options.wait.mode != wait_options::kind::busy) in.bell.allow_asymmetric(base::enable_heavy_fence());
    errc started = worker_.start(why);
    if (started != errc{}) return started;
  }
  errc refused{};
  try {
    if (seen.recording != nullptr) refused = seen.recording->begin(why);
    if (refused == errc{}) refused = counts.publish(why);
  } catch (const std::bad_alloc&) {
    refused = errc::out_of_memory;
  }
  if (refused != errc{}) {
    stop(nullptr);  // the worker runs
    return refused;
  }
  live_cores::add(*this);
  return errc{};
}

label driven_engine::make_label(std::string_view name) {
  label made;
  // In the child of a fork the file and the lock are the parent's.
  const errc problem = is_forked() ? errc::forked : labels.make(name, made);
  if (problem == errc{}) return made;
  std::string what = "engine \"" + options.name + "\": make_label: \"" + std::string(name) + "\"";
  if (problem == errc::invalid_option) what += ": must be 1 to 63 bytes";
  if (problem == errc::capacity_exceeded) what += ": an engine has at most 255 labels";
  throw error(make_error_code(problem), what);
}

}  // namespace detent::detail
