// SPDX-License-Identifier: MIT
// Code that boost_asio.hpp and standalone_asio.hpp share, and the templates that are specialised for both.
#pragma once

#include <type_traits>
#include <utility>

namespace detent::detail {

template <class Asio, class Token>
class timed_token;
template <class Asio, class Token, class... Signatures>
class timed_result;
template <class Asio>
class partial_limit;
template <class Asio, class... Signatures>
class partial_result;
template <class Asio, class Handler, class Limit>
class timed_handler;
template <class Asio, class Initiation, class... Signatures>
class timed_initiation;

}  // namespace detent::detail

namespace detent::base {

// True if this Asio has a token for operations that get none, as it has from 1.22 on.
template <class Asio>
concept has_default_token = !std::is_void_v<typename Asio::fallback_token>;

// Stands for the slots of an Asio without cancellation slots.
template <class Asio>
struct slots_of {
  static constexpr bool exist = false;
  enum class type { terminal };  // so that declarations can name it
};

// Keeps the executor's context from running out of work. It must not be used after it has been moved from.
template <class Asio, class Executor>
class outstanding_work {
 public:
  explicit outstanding_work(const Executor& on) : work_(Asio::tracked(on)) {}

  auto get_executor() const {
    if constexpr (requires { work_.get_executor(); }) {
      return work_.get_executor();
    } else {
      return work_;
    }
  }

 private:
  decltype(Asio::tracked(std::declval<const Executor&>())) work_;
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
