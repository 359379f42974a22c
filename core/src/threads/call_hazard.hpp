// SPDX-License-Identifier: MIT
// A hazard flag for each thread and engine, after hazard pointers: the engine's end waits for calls under way.
//
// A timer may fire while the call that armed it has not returned yet, because the call must still ring the doorbell, or
// check whether the engine stops. If its callback destroys the engine, the call would go on in freed memory. So a call
// raises its thread's flag before it publishes the timer, and lowers it when it needs the engine no more; the end of
// the engine waits until each thread's flag is low. The thread that ends the engine because of the callback sees the
// flag raised, because the publication of the timer carries it there. So the fast path needs no fence, only two stores.
//
// A call that publishes nothing, but reads memory that the end of the engine takes back before it waits, has a
// fenced_scope: its fence and the one of wait() make a Dekker handshake, in which one side sees the other.
#pragma once

#include <detent/base/atomic.hpp>

#include <cstdint>

namespace detent::detail {

class call_hazard {
 public:
  // Called by the thread itself, before it publishes something that may end the engine. Relaxed: carried by the release
  // of the publication.
  void raise() noexcept { raised_.store(1, base::relaxed); }
  // Called after its last access to the engine. (1) release: pairs with (2), so that the end of the engine comes after
  // all of these accesses.
  void lower() noexcept { raised_.store(0, base::release); }

  // Raises the flag for the length of a scope, which may lie inside another one.
  class scope {
   public:
    explicit scope(call_hazard& of) noexcept : of_(of), outer_(of.raised_.load(base::relaxed)) {  // relaxed: its own
      of_.raise();
    }
    scope(const scope&) = delete;
    scope& operator=(const scope&) = delete;
    ~scope() { of_.raised_.store(outer_, base::release); }  // (1)

   private:
    call_hazard& of_;
    const std::uint32_t outer_;
  };

  // A scope for a call that then reads what the end of the engine takes back.
  class fenced_scope : public scope {
   public:
    explicit fenced_scope(call_hazard& of) noexcept : scope(of) { base::full_fence(); }  // (3) pairs with (4)
  };

  // The thread that ends the engine calls this for another thread's flag. It returns when the flag has been low.
  // pause(flag) comes between two checks, and may sleep on the flag for a while; it is not woken, because lower() must
  // cost no more than a store.
  template <class Pause>
  void wait(Pause pause) const noexcept {
    base::full_fence();                                       // (4) pairs with (3)
    while (raised_.load(base::acquire) != 0) pause(raised_);  // (2) acquire: pairs with (1)
  }

 private:
  base::atomic<std::uint32_t> raised_{0};
};

}  // namespace detent::detail
