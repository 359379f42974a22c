// SPDX-License-Identifier: MIT
// Code that boost_asio.hpp and standalone_asio.hpp share: cancellation slots as stop tokens, and the templates that are
// specialised for both.
#pragma once

#include <detent/base/stop_token.hpp>

namespace detent::detail {

template <class Asio, class Token, class When>
class timed_token;
template <class Asio, class Token, class When, class... Signatures>
class timed_result;
template <class Asio, class Handler, class Path>
class timed_handler;
template <class Asio, class Initiation>
class timed_initiation;

}  // namespace detent::detail

namespace detent::base {

// Stands for the slots of an Asio without cancellation slots.
template <class Asio>
struct slots_of {
  static constexpr bool exist = false;
  enum class type { terminal };  // so that declarations can name it

  template <class Handler>
  static stop_token cancellation_token(const Handler&) {
    return {};
  }
};

// The handler in a cancellation slot. Any cancellation stops its tokens.
template <class Slots>
class stopping_slot {
 public:
  void operator()(typename Slots::type type) noexcept {
    if ((type & Slots::any) != Slots::type::none) source_.request_stop();
  }
  stop_token token() const noexcept { return source_.get_token(); }

 private:
  stop_source source_;
};

template <class Slots>
struct slots_by : Slots {
  static constexpr bool exist = true;

  // A token that is stopped when `handler`'s slot emits a cancellation; one that cannot be stopped where it has no
  // slot.
  template <class Handler>
  static stop_token cancellation_token(const Handler& handler) {
    auto slot = Slots::slot_of(handler);
    if (!slot.is_connected()) return {};
    return slot.template emplace<stopping_slot<Slots>>().token();
  }
};

// Gives a wrapper everything that is associated with the handler inside it.
template <template <class, class> class Associator, class Inner, class Default>
struct inner_associator {
  using type = typename Associator<Inner, Default>::type;

  template <class Wrapper>
  static type get(const Wrapper& wrapper, const Default& otherwise = Default()) noexcept {
    return Associator<Inner, Default>::get(wrapper.inner(), otherwise);
  }
};

}  // namespace detent::base
