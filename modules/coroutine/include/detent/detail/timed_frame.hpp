// SPDX-License-Identifier: MIT
// A wait for a timer that lies in a coroutine's frame.
#pragma once

#include <detent/base/atomic.hpp>
#include <detent/detail/place.hpp>
#include <detent/detail/schedule.hpp>
#include <detent/error.hpp>
#include <detent/firing.hpp>
#include <detent/options.hpp>
#include <detent/timer.hpp>

#include <new>

namespace detent::detail {

class timed_frame;

// The timer's callable, which refers to the frame as the frame refers to it. The timer's run goes to the frame, and so
// does its end without a run. Timers that stop() returns may outlive the frame. So outside of its node the claim moves
// and ends under a lock, and a frame that ends removes itself from the claim under that lock. The claim lies in its
// node as one word.
class frame_claim {
 public:
  explicit frame_claim(timed_frame* of) noexcept : frame_(of) {}
  frame_claim(const frame_claim&) = delete;
  frame_claim& operator=(const frame_claim&) = delete;

  // For the thread that runs the timer. Returns null if the frame is ending and about to wait for this run.
  timed_frame* get() const noexcept { return frame_.load(base::relaxed); }
  // (1) release: pairs with (2), whose thread may free this memory next.
  void forget() noexcept { frame_.store(nullptr, base::release); }
  // For the thread that ends the timer. Returns null if the timer has run or the frame has ended.
  timed_frame* take() noexcept;
  // Returns null, or the frame that no longer wants its timer; the claim has then ended instead of moving.
  timed_frame* move_to(void* place) noexcept;

 private:
  // relaxed elsewhere: the frame is published with the timer, and is later accessed under the lock.
  base::atomic<timed_frame*> frame_;
};

class timed_frame {
 public:
  timed_frame(const timed_frame&) = delete;
  timed_frame& operator=(const timed_frame&) = delete;

 protected:
  explicit timed_frame(engine_core& core) noexcept : core_(&core) {}
  ~timed_frame() = default;

  // Arms the timer, whose claim `ops` handles. Without options, on an executor that keeps order, it gets a tag of the
  // coroutine's own. After errc{}, its run or its end may come at once, on another thread. After a refusal, its end may
  // have come inside this call.
  errc arm_apart(nanoseconds_t deadline, const timer_terms& how, const void* coroutine,
                 const callable_ops& ops) noexcept;
  // Afterwards neither the run nor the end comes. Waits for one that is under way.
  void disarm() noexcept;
  // Makes the end come at once, here or on the thread that has the timer at this moment, unless the run has started or
  // the end has come. Returns true if neither will come.
  [[nodiscard]] bool withdraw() noexcept;
  // Makes the run come with the tick that has begun. No effect if it has started, or once the engine has stopped.
  void hurry() noexcept;
  // To be called after the end. Returns `stopped` or `dropped`.
  errc why_ended() const noexcept;
  // Throws the problem with a sentence that names the engine.
  [[noreturn]] void throw_ended(errc problem) const;
  // An exception that leaves the coroutine goes to the engine's on_error; if the engine is gone, the program ends.
  void resume_guarded(void* coroutine) noexcept;

  engine_core* core_;  // the frame holds a reference from arm() to the end of its wait
  timer timer_;

 private:
  friend class frame_claim;
  errc arm(nanoseconds_t deadline, const timer_terms& how, const callable_ops& ops) noexcept;

  frame_claim* claim_ = nullptr;  // the claim's place, if it is not in the timer's node
  bool unwanted_ = false;         // guarded by the lock
};

// The operations of a claim. A Frame has is_ready(firing&), which says whether the run may go on; on_run(); and
// on_end(bool guarded). The last is called on the thread that drops the run, that ends the engine, or that runs or
// destroys what stop() returned. If it is not guarded, exceptions of the coroutine pass through.
template <class Frame>
struct frame_ops {
  static frame_claim& at(void* capture) noexcept { return *std::launder(reinterpret_cast<frame_claim*>(capture)); }
  static Frame* frame(timed_frame* of) noexcept { return static_cast<Frame*>(of); }

  static void invoke(void* capture, firing& run) {
    if (!run.self()) [[unlikely]] {  // a timer that stop() has returned
      if (Frame* const ended = frame(at(capture).take())) ended->on_end(false);
      return;
    }
    Frame* const mine = frame(at(capture).get());
    if (mine == nullptr || !mine->is_ready(run)) return;
    at(capture).forget();
    mine->on_run();  // the frame may be gone afterwards
  }
  static void destroy(void* capture) noexcept {
    if (at(capture).get() == nullptr) return;
    if (Frame* const ended = frame(at(capture).take())) ended->on_end(true);
  }
  static void relocate(void* from, void* to) noexcept {
    if (Frame* const ended = frame(at(from).move_to(to))) ended->on_end(true);
  }

  static constexpr callable_ops ops{&invoke, &destroy, &relocate};
};

}  // namespace detent::detail
