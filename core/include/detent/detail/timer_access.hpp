// SPDX-License-Identifier: MIT
#pragma once

#include <detent/detail/word_layout.hpp>
#include <detent/error.hpp>
#include <detent/timer.hpp>

#include <concepts>
#include <cstdint>

namespace detent {
class engine;
class executor;
class timer_group;
}  // namespace detent

namespace detent::detail {

class engine_core;
class group_state;

// Takes handles apart and makes them, and reads the private parts of their owners.
class timer_access {
 public:
  // A refused schedule call returns this inside the library: an empty handle with the reason in place of its id, and
  // the number under which the thread keeps more about it (last_failure.hpp); 0 if it keeps nothing.
  static timer refusal(errc problem, std::uint64_t kept = 0) noexcept {
    return timer(nullptr, kept << 8 | static_cast<std::uint64_t>(problem));
  }
  static errc problem(const timer& refused) noexcept { return static_cast<errc>(refused.id_ & 0xff); }
  static std::uint64_t kept(const timer& refused) noexcept { return refused.id_ >> 8; }
  static timer make(engine_core* core, std::uint32_t index, std::uint32_t generation) noexcept {
    return make(core, std::uint64_t{state_word::queued_half(generation)} << 32 | index);
  }
  static timer make(engine_core* core, std::uint64_t id) noexcept { return timer(core, id); }
  // Templates, because only their callers know the class. They return null if the object has been moved from.
  template <std::same_as<engine> Engine>
  static engine_core* core(const Engine& of) noexcept {
    return of.core_;
  }
  template <std::same_as<timer_group> Group>
  static engine_core* core(const Group& of) noexcept {
    return of.core_;
  }
  template <std::same_as<timer_group> Group>
  static group_state* state(const Group& of) noexcept {
    return of.state_;
  }
  template <std::same_as<timer_group> Group>
  static executor* group_executor(const Group& of) noexcept {
    return of.executor_;
  }
  // For a caller that holds the core by a counted reference; its destructor would end the engine.
  template <std::same_as<engine> Engine>
  static Engine engine_of(engine_core& core) noexcept {
    return Engine(&core);
  }
  static engine_core* core(const timer& t) noexcept { return static_cast<engine_core*>(t.core_); }
  static std::uint64_t id(const timer& t) noexcept { return t.id_; }
  static std::uint32_t index(const timer& t) noexcept { return static_cast<std::uint32_t>(t.id_); }
  static std::uint32_t generation(const timer& t) noexcept { return state_word::generation(t.id_); }
  static std::uint32_t queued_half(const timer& t) noexcept { return static_cast<std::uint32_t>(t.id_ >> 32); }
};

}  // namespace detent::detail
