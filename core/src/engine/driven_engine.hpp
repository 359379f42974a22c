// SPDX-License-Identifier: MIT
// A whole engine: the part that any thread may touch, the driver, and how both begin and end.
#pragma once

#include <detent/metrics.hpp>
#include <detent/unfired_timer.hpp>

#include "callers/engine_core.hpp"
#include "driver/worker.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace detent::detail {

class driven_engine final : public engine_core {
 public:
  // The options must have been checked. Throws bad_alloc; open() must follow.
  driven_engine(engine_options made_with, const optional_parts& parts);
  ~driven_engine() override;
  // Acquires what the machine may refuse. On failure `why` names the option and its value, and no thread is left.
  errc open(std::string& why);

  // Refuses new timers from now on; pending ones fire.
  void close() noexcept;
  // Ends the drive, and moves what had not ended to `out`, or destroys it if that is null. Any thread.
  errc stop(std::vector<unfired_timer>* out) noexcept;
  // Why the calling thread must not wait for the end: errc::forked, or called_from_callback.
  errc forbids_stop() const noexcept;
  // Does the work of ~engine: stops the engine on any thread, and then releases the engine's reference.
  void end() noexcept;

  // Only the thread that poll() and the like make the driving one may use the driver (driver/poll.hpp).
  driver& drives() noexcept { return *driver_; }
  // Called in the child of a fork: does what engine_core's does, and gives up the worker's descriptor.
  void disown() noexcept;
  // How often the worker has been woken so far. Any thread.
  std::uint64_t wakeups() const noexcept { return worker_.wakeups(); }
  // Throws for a bad name, and if there are too many.
  label make_label(std::string_view name);
  // Makes a label of the set that this engine belongs to.
  void share_label(const label& shared);

  driven_engine *next_live = nullptr, *previous_live = nullptr;  // in the list of live engines (live_cores.cpp)

 private:
  bool begin_stop() noexcept;
  void end_drive() noexcept;
  bool collect_all(std::vector<unfired_timer>* out) noexcept;
  std::size_t count_pending_nodes() const noexcept;
  void finish_stop() noexcept;
  void leave_to_parent() noexcept;
  [[noreturn]] void refuse_label(std::string_view name, errc problem, std::string why) const;

  const recording_opener open_recording_;  // null: the options ask for none
  const std::unique_ptr<driver> driver_;
  worker worker_;
};

// Every engine's core is part of a driven_engine.
inline driven_engine& whole(engine_core& core) noexcept { return static_cast<driven_engine&>(core); }

// Any thread. Empty for a label that is another engine's, or none.
engine_metrics metrics_of(const driven_engine& engine);
engine_metrics metrics_of(const engine_core& core, const label& of);

}  // namespace detent::detail
