// SPDX-License-Identifier: MIT
// A whole engine: what any thread may touch, the driver, and how both begin and end.
#pragma once

#include <detent/metrics.hpp>
#include <detent/unfired_timer.hpp>

#include "callers/engine_core.hpp"
#include "driver/driver_handle.hpp"
#include "driver/worker.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace detent::detail {

class driven_engine final : public engine_core {
 public:
  // The options have been checked. Throws bad_alloc; open() must follow.
  explicit driven_engine(engine_options made_with);
  ~driven_engine() override;
  // Acquires what the machine may refuse. On failure says why, naming option and value, and leaves no thread.
  errc open(std::string& why);

  // New timers are refused from now on; what is pending fires.
  void close() noexcept;
  // Ends the drive and gives back what had not ended: to `out`, or destroyed if that is null. Any thread.
  errc stop(std::vector<unfired_timer>* out) noexcept;
  // Whether the calling thread must not wait for the end: by errc::forked, or called_from_callback.
  errc forbids_stop() const noexcept;
  // Does the work of ~engine: stop() from wherever it is called, then the engine's reference.
  void end() noexcept;

  // The driver's end is for the thread that poll() and so on make the driving one (driver/poll.hpp).
  driver& drives() noexcept { return *driver_; }
  // In the child of a fork: as engine_core's, and the worker's descriptor.
  void disown() noexcept;
  // How often the worker has been woken so far. Any thread.
  std::uint64_t wakeups() const noexcept { return worker_.wakeups(); }
  // Throws for a bad name, and where there are too many.
  label make_label(std::string_view name);
  // The same, for a label of the set that this engine is of.
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

  const driver_handle driver_;
  worker worker_;
};

// Every engine's core is part of one.
inline driven_engine& whole(engine_core& core) noexcept { return static_cast<driven_engine&>(core); }

// Any thread. Of a label of another engine, or none: of nothing.
engine_metrics metrics_of(const driven_engine& engine);
engine_metrics metrics_of(const engine_core& core, const label& of);

}  // namespace detent::detail
