// SPDX-License-Identifier: MIT
// The arguments of a completion, kept until its handler can be called.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

namespace detent::detail {

// The argument types of a signature, which may be qualified.
template <class Signature>
struct arguments_of;
template <class R, class... Args>
struct arguments_of<R(Args...)> {
  using type = std::tuple<std::decay_t<Args>...>;
};
template <class R, class... Args>
struct arguments_of<R(Args...)&> : arguments_of<R(Args...)> {};
template <class R, class... Args>
struct arguments_of<R(Args...) &&> : arguments_of<R(Args...)> {};
template <class R, class... Args>
struct arguments_of<R(Args...) noexcept> : arguments_of<R(Args...)> {};
template <class R, class... Args>
struct arguments_of<R(Args...)& noexcept> : arguments_of<R(Args...)> {};
template <class R, class... Args>
struct arguments_of<R(Args...)&& noexcept> : arguments_of<R(Args...)> {};

template <class... Signatures>
class kept_arguments {
 public:
  template <class... Args>
  void keep(Args&&... args) {
    kept_.template emplace<alternative<Args&&...>()>(std::forward<Args>(args)...);
  }
  // Calls `f` with the tuple of the arguments; `f` may destroy this object.
  template <class F>
  void give_to(F&& f) {
    std::visit(
        [&f]<class Kept>(Kept& arguments) {
          if constexpr (!std::is_same_v<Kept, std::monostate>) f(std::move(arguments));
        },
        kept_);
  }

 private:
  using kept = std::variant<std::monostate, typename arguments_of<Signatures>::type...>;

  // Makes the first of the tuples that these arguments can make.
  template <class... Args>
  static constexpr std::size_t alternative() {
    constexpr bool fits[] = {std::is_constructible_v<typename arguments_of<Signatures>::type, Args...>...};
    std::size_t found = 0;
    while (!fits[found]) ++found;
    return found + 1;
  }

  kept kept_;
};

}  // namespace detent::detail
