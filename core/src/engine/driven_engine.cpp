// SPDX-License-Identifier: MIT
#include "engine/driven_engine.hpp"

#include "callers/refusals.hpp"
#include "driver/driver.hpp"
#include "engine/live_cores.hpp"

#include <cerrno>
#include <new>

namespace detent::detail {
namespace {

errc code_of(alloc::page_source::problem which, int reason) noexcept {
  using enum alloc::page_source::problem;
  if (which == no_memory) return errc::out_of_memory;
  // RLIMIT_MEMLOCK is a permission, as RLIMIT_RTPRIO. A ground without locks lacks more than that.
  if (which == lock) return reason == ENOSYS ? errc::invalid_option : errc::not_permitted;
  return reason == 0 ? errc::invalid_option : detail::code_of(reason);
}

}  // namespace

driven_engine::driven_engine(engine_options made_with, const optional_parts& parts)
    : engine_core(std::move(made_with), parts),
      open_recording_(parts.open_recording),
      driver_(std::make_unique<driver>(*this)),
      worker_(*this, *driver_) {
  // A caller that never asks for the wake_fd sleeps by its own means: no ring is needed.
  if (options.drive == drive_kind::caller) in.begin_without_rings();
}

driven_engine::~driven_engine() = default;

errc driven_engine::open(std::string& why) {
  alloc::page_source::problem problem = pages.check();
  if (problem != alloc::page_source::problem::none) {
    why = pages.explain(problem);
    return code_of(problem, pages.reason());
  }
  if (errc unusable = counts.check(why); unusable != errc{}) return unusable;
  if (!pool.ready() || !threads.ready()) {
    why = "reserve = " + std::to_string(options.reserve) + ": no memory for that many timers ahead; lower it";
    return errc::out_of_memory;
  }
  if (!live_cores::watch_forks()) {
    why = "no memory for the fork handlers";
    return errc::out_of_memory;
  }
  if (open_recording_ != nullptr) {
    if (errc unusable = open_recording_(seen.recording, time, options, why); unusable != errc{}) return unusable;
  }
  if (options.drive == drive_kind::worker) {
    // A worker that spins raises the wake time all the time.
    if (options.wait.mode != wait_options::kind::busy) in.allow_asymmetric(base::enable_heavy_fence());
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

void driven_engine::disown() noexcept {
  engine_core::disown();
  worker_.disown();
}

label driven_engine::make_label(std::string_view name) {
  label made;
  std::string why;
  // In the child of a fork the file and the lock are the parent's.
  const errc problem = is_forked() ? errc::forked : labels.make(name, made, why);
  if (problem != errc{}) refuse_label(name, problem, why);
  return made;
}

void driven_engine::share_label(const label& shared) {
  std::string why;
  const errc problem = is_forked() ? errc::forked : labels.share(shared, why);
  if (problem != errc{}) refuse_label(shared.name(), problem, why);
}

void driven_engine::refuse_label(std::string_view name, errc problem, std::string why) const {
  if (problem == errc::invalid_option) why = "must be 1 to 63 bytes";
  if (problem == errc::capacity_exceeded) why = "an engine has at most 255 labels; use one of those";
  if (why.empty()) why = explain(*this, problem);
  throw error(problem, prefix_of(*this) + "make_label(\"" + std::string(name.substr(0, 100)) + "\"): " + why);
}

}  // namespace detent::detail
