// SPDX-License-Identifier: MIT
// An asynchronous operation between an engine, which ends it, and an execution context, on which it completes.
#pragma once

#include <detent/base/atomic.hpp>
#include <detent/detail/bulk.hpp>
#include <detent/detail/timer_access.hpp>
#include <detent/firing.hpp>
#include <detent/timer.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace detent::detail {

class context_inbox;

enum class ending : std::uint8_t { elapsed, aborted, no_space, no_memory, unsupported };

// The place of an entry in its inbox.
struct inbox_place {
  context_inbox* inbox;
  std::uint32_t slot;
  std::uint16_t engine;
  std::uint16_t size;  // of the entry's block, in steps of its inbox
};

// Memory for the one function object that an executor makes from what it is handed, so that a hand-over cannot fail.
class function_memory {
 public:
  // Returns null if the size is another one or an object is there already.
  void* take(std::size_t size) noexcept {
    return size > sizeof bytes_ || std::exchange(taken_, true) ? nullptr : bytes_;
  }
  // Returns false if the memory is from elsewhere.
  bool give_back(const void* memory) noexcept {
    if (memory != bytes_) return false;
    taken_ = false;
    return true;
  }

 private:
  // The size of a function object that holds one pointer, and an allocator that holds another.
  static constexpr std::size_t size = 40;

  alignas(void*) std::byte bytes_[size];
  bool taken_ = false;
};

// An allocator for that memory. What a strand or another executor needs beside the function object comes from
// `Otherwise`.
template <class T, class Otherwise>
class function_allocator {
 public:
  using value_type = T;

  explicit function_allocator(function_memory& from) noexcept : from_(&from) {}
  template <class U>
  function_allocator(const function_allocator<U, Otherwise>& other) noexcept : from_(other.from_) {}

  T* allocate(std::size_t n) {
    void* const mine = alignof(T) <= alignof(void*) ? from_->take(n * sizeof(T)) : nullptr;
    return mine != nullptr ? static_cast<T*>(mine) : other().allocate(n);
  }
  void deallocate(T* memory, std::size_t n) noexcept {
    if (!from_->give_back(memory)) other().deallocate(memory, n);
  }
  template <class U>
  bool operator==(const function_allocator<U, Otherwise>& other) const noexcept {
    return from_ == other.from_;
  }

 private:
  template <class, class>
  friend class function_allocator;

  static auto other() noexcept { return typename std::allocator_traits<Otherwise>::template rebind_alloc<T>(); }

  function_memory* from_;
};

// Lives in a block of its inbox. Three parties meet at it: the thread that initiates it, the engine that holds its
// timer, and its context. It is handed to its handler's executor once the engine has ended it and the initiation has
// finished with it. The engine's thread only passes its address on, so that its memory stays in the cache of the
// context's thread.
class inbox_entry {
 public:
  inbox_entry(const inbox_entry&) = delete;
  inbox_entry& operator=(const inbox_entry&) = delete;

  // The initiating thread calls one of these two: the engine has taken the timer, or has refused it. The entry may be
  // gone afterwards.
  void begin(const timer& taken) noexcept {
    timer_ = taken;
    initiated();
  }
  void refuse(ending why) noexcept {  // the engine has destroyed the callback already
    how_ = why;
    initiated();
  }
  // Cancels the entry, on the thread where the handler runs. The entry may be gone afterwards.
  void cancel() noexcept {
    timer mine = timer_;
    if (mine) cancel_many(*timer_access::core(mine), {&mine, 1});  // holds the engine during the call
  }

 protected:
  // `is_plain`: the handler's executor is the context's own.
  inbox_entry(const inbox_place& place, bool is_plain) noexcept : place_(place), is_plain_(is_plain) {}
  virtual ~inbox_entry() = default;

  const inbox_place& place() const noexcept { return place_; }
  ending how() const noexcept { return how_; }
  // The address of the memory that the handler will touch; any address will do.
  void will_touch(const void* memory) noexcept { touched_ = memory; }
  void fetch_ahead() const noexcept {
    __builtin_prefetch(touched_, 1);
    __builtin_prefetch(static_cast<const std::byte*>(touched_) + line, 1);
  }

 private:
  friend class context_inbox;
  template <class>
  friend class entry_run;

  // The engine has ended the entry. Returns true if the initiation has finished with it as well, so that it must be
  // handed on.
  bool end(bool has_elapsed) noexcept {
    if (has_elapsed) how_ = ending::elapsed;
    // (1) acq_rel: pairs with itself in initiated(): the second of the two sees what the first left, and hands it on.
    return (state_.fetch_or(ended, base::acq_rel) & begun) != 0;
  }
  void initiated() noexcept;

  // The memory that a handler touches first is mostly far away, so an entry prefetches it for a handler that runs a
  // little later.
  void prefetch() const noexcept {
    __builtin_prefetch(this, 1);
    __builtin_prefetch(reinterpret_cast<const std::byte*>(this) + line, 1);
  }
  void look_ahead(const inbox_entry& later) noexcept { touched_ = later.touched_; }

  // Hands the entry to its handler's executor, which does not run it inside this call. Not for a plain one.
  virtual void forward() noexcept = 0;
  // Runs on that executor: leaves the inbox, and calls the handler.
  virtual void run() = 0;
  // Leaves the inbox without calling the handler.
  void drop() noexcept;
  // Destroys the handler uncalled, and leaves the block as it is.
  virtual void forget() noexcept = 0;

  static constexpr std::uint32_t begun = 1, ended = 2;
  static constexpr std::size_t line = 64;  // a cache line

  inbox_place place_;
  const void* touched_ = nullptr;  // by its handler; after hand_on(), by another's
  timer timer_;
  base::atomic<std::uint32_t> state_{0};
  ending how_ = ending::aborted;
  const bool is_plain_;
  bool forwarded_ = false;    // an executor has it, and runs or destroys it
  bool forgotten_ = false;    // under the lock of what is due; so is the next
  bool engine_gone_ = false;  // for an entry whose context has ended
  function_memory function_;
};

// The function object that an executor is handed. `Otherwise` allocates memory that the entry has no room for.
template <class Otherwise>
class entry_run {
 public:
  using allocator_type = function_allocator<void, Otherwise>;

  explicit entry_run(inbox_entry& of) noexcept : of_(&of) {}
  entry_run(entry_run&& other) noexcept : of_(std::exchange(other.of_, nullptr)) {}
  entry_run& operator=(entry_run&&) = delete;
  ~entry_run() {
    if (of_ != nullptr) of_->drop();
  }

  allocator_type get_allocator() const noexcept { return allocator_type(of_->function_); }
  void operator()() { std::exchange(of_, nullptr)->run(); }

 private:
  inbox_entry* of_;
};

// The callback of an entry's timer. The engine destroys it uncalled if the timer is cancelled or dropped, or the engine
// ends.
class entry_callback {
 public:
  entry_callback(inbox_entry& of, context_inbox& in) noexcept : of_(&of), in_(&in) {}
  entry_callback(entry_callback&& other) noexcept : of_(std::exchange(other.of_, nullptr)), in_(other.in_) {}
  entry_callback& operator=(entry_callback&&) = delete;
  ~entry_callback() {
    if (of_ != nullptr) end(false);
  }
  // If it runs after the engine's stop(), its time has not come.
  void operator()(firing& run) noexcept { end(static_cast<bool>(run.self())); }

 private:
  void end(bool has_elapsed) noexcept;

  inbox_entry* of_;
  context_inbox* in_;
};

}  // namespace detent::detail
