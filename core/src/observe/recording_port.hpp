// SPDX-License-Identifier: MIT
// An engine reports each operation on its timers here. A module implements the port and writes the recording; the
// engine knows nothing of files and rows.
#pragma once

#include <detent/base/compiler.hpp>
#include <detent/error.hpp>
#include <detent/options.hpp>

#include "platform/clock_reader.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace detent::detail {

enum class operation_kind : std::uint8_t {
  nothing,  // was tried and had no effect
  schedule,
  rearm,   // by its callback
  period,  // by its period
  restart,
  cancel,
  fire,
  drop,   // came due, but no run: stale, refused or let go of
  pause,  // of a group, like the next two
  resume,
  forget
};

// An event in the life of a timer, or of a group of them.
struct operation {
  nanoseconds_t at = 0;         // the engine's clock
  nanoseconds_t deadline = 0;   // of what it arms
  std::uint64_t id = 0;         // generation above, index below
  const void* group = nullptr;  // null: none, or known from when it was scheduled
  operation_kind kind = operation_kind::nothing;
};

// Identifies one generation of a node.
constexpr std::uint64_t operation_id(std::uint32_t index, std::uint32_t generation) noexcept {
  return std::uint64_t{generation} << 32 | index;
}

// Any thread, which never waits, except in begin() and close().
class recording_port {
 public:
  recording_port() noexcept = default;
  recording_port(const recording_port&) = delete;
  recording_port& operator=(const recording_port&) = delete;
  virtual ~recording_port() = default;

  // Begins the recording before the engine reports anything; the former contents of the file are gone. On failure says
  // why.
  virtual errc begin(std::string& why) = 0;
  // Writes what there is, and the end. Operations reported from now on are lost.
  virtual void close() noexcept = 0;

  // After it was cancelled; its node may be another timer's already.
  virtual void cancelled(std::uint32_t index, std::uint32_t generation) noexcept = 0;
  // After it started, or was dropped.
  virtual void ended(operation_kind how, std::uint32_t index, std::uint32_t generation, nanoseconds_t at) noexcept = 0;
  // Pause, resume or forget.
  virtual void turned(operation_kind how, const void* group) noexcept = 0;
  // Before an arming that another thread may forestall. `what` has no time yet. Returns what end_attempt() needs.
  virtual void* begin_attempt(const operation& what) noexcept = 0;
  virtual void end_attempt(void* begun, bool effective) noexcept = 0;

  // Operations that were lost, for any reason.
  virtual std::uint64_t dropped() const noexcept = 0;
};

// The recording that the options ask for, or none; on failure says why. The library's module `recording` defines it.
errc open_recording(std::unique_ptr<recording_port>& made, const clock_reader& time, const engine_options& options,
                    std::string& why);
using recording_opener = decltype(&open_recording);

// An arming that another thread may forestall: takes its place first, and leaves it empty unless it took effect. Where
// nothing is recorded it stays in registers.
class recorded_attempt {
 public:
  // `to` may be null: nothing is recorded. what() is the operation without its time.
  template <class What>
  DETENT_ALWAYS_INLINE recorded_attempt(recording_port* to, What&& what) noexcept : to_(to) {
    if (to != nullptr) [[unlikely]]
      begun_ = begin(*to, what());
  }
  DETENT_ALWAYS_INLINE ~recorded_attempt() {
    if (to_ != nullptr) [[unlikely]]
      end(*to_, begun_, false);
  }
  recorded_attempt(const recorded_attempt&) = delete;
  recorded_attempt& operator=(const recorded_attempt&) = delete;

  DETENT_ALWAYS_INLINE void took_effect() noexcept {
    if (to_ != nullptr) [[unlikely]]
      end(*to_, begun_, true);
    to_ = nullptr;
  }

 private:
  // Separate functions, so that the ways that record nothing keep fewer registers.
  DETENT_COLD DETENT_NOINLINE static void* begin(recording_port& to, const operation& what) noexcept {
    return to.begin_attempt(what);
  }
  DETENT_COLD DETENT_NOINLINE static void end(recording_port& to, void* begun, bool effective) noexcept {
    to.end_attempt(begun, effective);
  }

  recording_port* to_;
  void* begun_ = nullptr;
};

}  // namespace detent::detail
