// SPDX-License-Identifier: MIT
// The callable of a node: stored in the node if it fits, else in a box of its own.
#pragma once

#include <detent/firing.hpp>

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace detent {

namespace detail {
inline constexpr std::size_t capture_size = 24;
inline constexpr std::size_t capture_alignment = 16;
}  // namespace detail

// True if F is stored in the node itself. A callable whose move might throw is boxed too, so that stop() cannot fail.
template <class F>
inline constexpr bool fits_inline = sizeof(F) <= detail::capture_size &&
                                    alignof(F) <= detail::capture_alignment&& std::is_nothrow_move_constructible_v<F>;

namespace detail {

template <class F>
concept timer_callback = std::is_invocable_v<F&, firing&> || std::is_invocable_v<F&>;

// The operations of one callable type; static, one table a type.
struct callable_ops {
  void (*invoke)(void* capture, firing& run);       // may throw what the callback throws
  void (*destroy)(void* capture) noexcept;          // null if there is nothing to do
  void (*relocate)(void* from, void* to) noexcept;  // moves to raw memory and destroys the source
};

template <class F>
void call(F& f, firing& run) {
  if constexpr (std::is_invocable_v<F&, firing&>) {
    static_cast<void>(f(run));
  } else {
    static_cast<void>(f());
  }
}

template <class F>
struct inline_callable {
  static F& at(void* capture) noexcept { return *std::launder(reinterpret_cast<F*>(capture)); }
  static void invoke(void* capture, firing& run) { call(at(capture), run); }
  static void destroy(void* capture) noexcept { std::destroy_at(&at(capture)); }
  static void relocate(void* from, void* to) noexcept {
    ::new (to) F(std::move(at(from)));
    destroy(from);
  }
  static constexpr callable_ops ops{&invoke, std::is_trivially_destructible_v<F> ? nullptr : &destroy, &relocate};
};

template <class F>
struct boxed_callable {
  static F*& at(void* capture) noexcept { return *std::launder(reinterpret_cast<F**>(capture)); }
  static void invoke(void* capture, firing& run) { call(*at(capture), run); }
  static void destroy(void* capture) noexcept { delete at(capture); }
  static void relocate(void* from, void* to) noexcept { ::new (to) F*(at(from)); }
  static constexpr callable_ops ops{&invoke, &destroy, &relocate};
};

// A callable taken out of its node, because its destructor may do anything: it runs when the engine needs neither the
// node nor itself any more. A callable with nothing to destroy is not moved.
class detached_callable {
 public:
  detached_callable(const callable_ops& ops, void* capture) noexcept : ops_(ops) {
    if (ops_.destroy != nullptr) ops_.relocate(capture, capture_);
  }
  detached_callable(const detached_callable&) = delete;
  detached_callable& operator=(const detached_callable&) = delete;
  ~detached_callable() {
    if (ops_.destroy != nullptr) ops_.destroy(capture_);
  }

 private:
  const callable_ops& ops_;
  alignas(capture_alignment) std::byte capture_[capture_size];
};

inline void destroy_callable(const callable_ops& ops, void* capture) noexcept {
  if (ops.destroy != nullptr) ops.destroy(capture);
}

}  // namespace detail
}  // namespace detent
