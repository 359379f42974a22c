// SPDX-License-Identifier: MIT
// Scheduling many at once: the part that must know the callable's type.
#pragma once

#include <detent/detail/schedule.hpp>

#include <cstddef>
#include <memory>
#include <span>

namespace detent::detail {

template <class F>
concept bulk_callback = std::is_invocable_v<F&, std::size_t> || std::is_invocable_v<F&, firing&, std::size_t>;

template <class F>
void call_bulk(F& f, firing& run, std::size_t index) {
  if constexpr (std::is_invocable_v<F&, firing&, std::size_t>) {
    static_cast<void>(f(run, index));
  } else {
    static_cast<void>(f(index));
  }
}

// One timer's share of the callable: a copy, or if that does not fit the node, a reference to one that all share.
template <class F>
struct own_share {
  void operator()(firing& run) { call_bulk(f, run, index); }
  F f;
  std::size_t index;
};
template <class F>
struct common_share {
  void operator()(firing& run) { call_bulk(*f, run, index); }
  std::shared_ptr<F> f;
  std::size_t index;
};

// How the library makes each timer's callable.
struct bulk_filler {
  void (*fill)(void* context, void* capture, std::size_t index) noexcept;  // null: the words are the callable
  void* context;
  const callable_ops& ops;
  packed_callable words = {};
  std::size_t index_word = 0;  // the word that gets the index
};

struct bulk_result {
  std::size_t scheduled = 0;
  errc problem{};  // why it ended before the last, if it did
};

bulk_result schedule_many(engine_core& core, std::span<const time_point> deadlines, const bulk_filler& filler,
                          std::span<timer> out, const timer_options& options, origin where) noexcept;

std::size_t cancel_many(engine_core& core, std::span<const timer> timers) noexcept;

template <class Share, class Made>
bulk_result schedule_shares(engine_core& core, std::span<const time_point> deadlines, const Made& made,
                            std::span<timer> out, const timer_options& options, origin where) {
  static_assert(fits_inline<Share>);
  auto fill = [](void* context, void* capture, std::size_t index) noexcept {
    ::new (capture) Share{*static_cast<const Made*>(context), index};
  };
  return schedule_many(core, deadlines, {fill, const_cast<Made*>(&made), inline_callable<Share>::ops}, out, options,
                       where);
}

// Copied bit by bit, followed by the index.
template <class F>
bulk_result schedule_words(engine_core& core, std::span<const time_point> deadlines, const F& f, std::span<timer> out,
                           const timer_options& options, origin where) {
  using share = own_share<F>;
  bulk_filler filler{nullptr, nullptr, inline_callable<share>::ops};
  std::memcpy(filler.words.words, std::addressof(f), sizeof(F));
  filler.index_word = offsetof(share, index) / sizeof(std::uint64_t);
  return schedule_many(core, deadlines, filler, out, options, where);
}

template <class Callable>
bulk_result schedule_bulk(engine_core& core, std::span<const time_point> deadlines, Callable&& f, std::span<timer> out,
                          const timer_options& options, origin where) {
  using F = std::decay_t<Callable>;
  static_assert(bulk_callback<F>, "a callback for many is called as f(index) or as f(firing&, index)");
  if constexpr (fits_inline<own_share<F>> && std::is_nothrow_copy_constructible_v<F>) {
    const F& made = f;
    if constexpr (packs<own_share<F>> && std::is_standard_layout_v<own_share<F>>)
      return schedule_words<F>(core, deadlines, made, out, options, where);
    return schedule_shares<own_share<F>>(core, deadlines, made, out, options, where);
  } else {
    return schedule_shares<common_share<F>>(core, deadlines, std::make_shared<F>(std::forward<Callable>(f)), out,
                                            options, where);
  }
}

}  // namespace detent::detail
