// SPDX-License-Identifier: MIT
// The inboxes of Asio's contexts, as services of these. `Asio` is base::boost_asio or base::standalone_asio.
#pragma once

#include <detent/base/asio_contexts.hpp>
#include <detent/base/atomic.hpp>
#include <detent/detail/context_inbox.hpp>

#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

namespace detent::detail {

// How many contexts with an inbox have ended.
inline constinit base::atomic<std::uint64_t> ended_contexts{0};

// The inbox of an io_context or a thread_pool.
template <class Asio, class Context>
class asio_inbox final : public context_inbox {
 public:
  // Asking a context for a service takes a lock and a search, so each thread remembers the last one. Another context
  // may lie at the address of one that has ended.
  static asio_inbox& of(Context& context) {
    static constinit thread_local remembered last;
    // relaxed: a thread that has a context at that address has seen the end of the one before.
    const std::uint64_t ended = ended_contexts.load(base::relaxed);
    if (last.context != &context || last.ended != ended) [[unlikely]]
      last = {&context, contexts::template use_service<service>(context).inbox, ended};
    return *last.inbox;
  }

 private:
  using contexts = base::contexts_of<Asio>;
  using executor = typename Context::executor_type;
  using recycled = typename Asio::recycled;

  class service final : public contexts::context::service {
   public:
    static inline typename contexts::context::id id;

    explicit service(typename contexts::context& owner)
        : contexts::context::service(owner), inbox(new asio_inbox(static_cast<Context&>(owner))) {}
    ~service() override {
      ended_contexts.fetch_add(1, base::relaxed);  // relaxed: as in of()
      inbox->let_go();
    }

    asio_inbox* const inbox;

   private:
    void shutdown() override { inbox->close(); }
  };

  struct remembered {
    const Context* context = nullptr;
    asio_inbox* inbox = nullptr;
    std::uint64_t ended = 0;
  };

  // Drains the inbox when it is run. It is destroyed unrun only with its context.
  class drain_run {
   public:
    using allocator_type = function_allocator<void, recycled>;

    explicit drain_run(asio_inbox& of) noexcept : of_(&of) {}
    allocator_type get_allocator() const noexcept { return allocator_type(of_->function_); }
    void operator()() const { of_->drain(); }

   private:
    asio_inbox* of_;
  };

  explicit asio_inbox(Context& context) : context_inbox(false), on_(context.get_executor()) {}

  void post_drain() noexcept override { Asio::post(on_, drain_run(*this)); }
  void queue(inbox_entry& plain) noexcept override { contexts::defer(on_, entry_run<recycled>(plain)); }
  void hold_work() noexcept override { work_.emplace(Asio::tracked(on_)); }
  void release_work() noexcept override { work_.reset(); }

  const executor on_;
  std::optional<decltype(Asio::tracked(std::declval<const executor&>()))> work_;
  function_memory function_;
};

// The inbox of entries whose context is not known, because an executor of another kind runs them.
class lone_inbox final : public context_inbox {
 public:
  // Never destroyed: entries may outlive everything else.
  static lone_inbox& get() {
    static auto& only = *new lone_inbox;
    return only;
  }

 private:
  lone_inbox() noexcept : context_inbox(true) {}
  void post_drain() noexcept override {}
  void queue(inbox_entry&) noexcept override {}
  void hold_work() noexcept override {}
  void release_work() noexcept override {}
};

// The inbox of the context on which an executor runs, and whether the executor is only that context.
struct found_inbox {
  context_inbox& inbox;
  bool is_plain;
};
template <class Asio, class Executor>
found_inbox inbox_of(const Executor& ex) {
  using contexts = base::contexts_of<Asio>;
  return base::with_target<Asio>(ex, [](const auto& target) -> found_inbox {
    using kind = std::remove_cvref_t<decltype(target)>;
    if constexpr (requires { target.get_inner_executor(); }) {
      return {inbox_of<Asio>(target.get_inner_executor()).inbox, false};
    } else if constexpr (contexts::template names_context<kind>) {
      using context = std::remove_cvref_t<decltype(contexts::context_of(target))>;
      if constexpr (std::is_same_v<context, typename contexts::io_context> ||
                    std::is_same_v<context, typename contexts::thread_pool>) {
        return {asio_inbox<Asio, context>::of(contexts::context_of(target)), contexts::template is_plain<kind>};
      } else {
        return {lone_inbox::get(), false};
      }
    } else {
      return {lone_inbox::get(), false};
    }
  });
}

}  // namespace detent::detail
