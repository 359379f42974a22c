// SPDX-License-Identifier: MIT
#pragma once

#include <detent/detail/word_layout.hpp>
#include <detent/error.hpp>
#include <detent/timer.hpp>

#include <concepts>
#include <cstdint>

namespace detent {
class engine;
}

namespace detent::detail {

class engine_core;

// Handles, taken apart and made.
class timer_access {
 public:
  // A refused schedule call returns this inside the library: no handle, and the reason where its id would be.
  static timer refusal(errc problem) noexcept { return timer(nullptr, static_cast<std::uint64_t>(problem)); }
  static errc problem(const timer& refused) noexcept { return static_cast<errc>(refused.id_); }
  static timer make(engine_core* core, std::uint32_t index, std::uint32_t generation) noexcept {
    return make(core, std::uint64_t{state_word::queued_half(generation)} << 32 | index);
  }
  static timer make(engine_core* core, std::uint64_t id) noexcept { return timer(core, id); }
  // A template, as only its callers know the class.
  template <std::same_as<engine> Engine>
  static engine_core* core(const Engine& of) noexcept {
    return of.core_;
  }
  static engine_core* core(const timer& t) noexcept { return static_cast<engine_core*>(t.core_); }
  static std::uint64_t id(const timer& t) noexcept { return t.id_; }
  static std::uint32_t index(const timer& t) noexcept { return static_cast<std::uint32_t>(t.id_); }
  static std::uint32_t generation(const timer& t) noexcept { return state_word::generation(t.id_); }
  static std::uint32_t queued_half(const timer& t) noexcept { return static_cast<std::uint32_t>(t.id_ >> 32); }
};

}  // namespace detent::detail
