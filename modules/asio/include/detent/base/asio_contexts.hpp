// SPDX-License-Identifier: MIT
// The execution contexts of an Asio: the parts that detent uses, and the executors that stand for others. Specialised
// for both Asios.
#pragma once

#include <typeinfo>

namespace detent::base {

template <class Asio>
struct contexts_of;

// The executor inside a type-erased one, if it is a Target. Before Asio 1.24, target() itself does not look.
template <class Target, class Executor>
const Target* target_of(const Executor& of) {
  return of.target_type() == typeid(Target) ? of.template target<Target>() : nullptr;
}

// Calls `use` with the executor that `of` stands for: the executor inside a type-erased one if that is of a usual type,
// else `of` itself. A type-erased executor allocates for each function that it is given; these do not.
template <class Asio, class Executor, class Use>
decltype(auto) with_target(const Executor& of, Use&& use) {
  using contexts = contexts_of<Asio>;
  if constexpr (requires { of.target_type() == typeid(int); }) {
    if (const auto* io = target_of<typename contexts::io_executor>(of)) return use(*io);
    if (const auto* in_strand = target_of<typename contexts::io_strand>(of)) return use(*in_strand);
    if (const auto* in_any = target_of<typename contexts::any_strand>(of)) return use(*in_any);
    if (const auto* tracked = target_of<typename contexts::tracked_io_executor>(of)) return use(*tracked);
    if (const auto* pool = target_of<typename contexts::pool_executor>(of)) return use(*pool);
    if (const auto* in_pool = target_of<typename contexts::pool_strand>(of)) return use(*in_pool);
  }
  return use(of);
}

}  // namespace detent::base
