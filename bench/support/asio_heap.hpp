// SPDX-License-Identifier: MIT
// The heap of timers inside Boost.Asio, with the interface of ordered_timers.hpp.
#pragma once

#include <boost/asio/detail/chrono_time_traits.hpp>
#include <boost/asio/detail/timer_queue.hpp>
#include <boost/asio/wait_traits.hpp>

#include <chrono>
#include <cstdint>
#include <vector>

namespace detent::bench {

// Asio asks this clock for the time, which is set by hand.
struct manual_clock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<manual_clock>;
  static constexpr bool is_steady = true;
  static inline time_point reported{};
  static time_point now() noexcept { return reported; }
};

class asio_heap {
 public:
  asio_heap(std::size_t ids, std::size_t) : waits_(ids), timers_(ids) {
    manual_clock::reported = {};
    for (std::size_t i = 0; i < ids; ++i) waits_[i].id = static_cast<std::uint32_t>(i);
  }
  void insert(std::uint32_t id, std::int64_t deadline) {
    queue_.enqueue_timer(manual_clock::time_point(manual_clock::duration(deadline)), timers_[id], &waits_[id]);
  }
  void cancel(std::uint32_t id) {
    boost::asio::detail::op_queue<boost::asio::detail::operation> cancelled;
    queue_.cancel_timer(timers_[id], cancelled);
    cancelled.pop();
  }
  template <class Take>
  void expire(std::int64_t now, Take take) {
    manual_clock::reported = manual_clock::time_point(manual_clock::duration(now));
    boost::asio::detail::op_queue<boost::asio::detail::operation> due;
    queue_.get_ready_timers(due);
    while (!due.empty()) {
      const std::uint32_t id = static_cast<wait*>(due.front())->id;
      due.pop();
      take(id);
    }
  }
  // Microseconds from now, as Asio counts them.
  std::int64_t next() const { return queue_.wait_duration_usec(INT64_MAX / 2); }

 private:
  struct wait : boost::asio::detail::wait_op {
    wait() : wait_op([](void*, boost::asio::detail::operation*, const boost::system::error_code&, std::size_t) {}) {}
    std::uint32_t id = 0;
  };
  using traits = boost::asio::detail::chrono_time_traits<manual_clock, boost::asio::wait_traits<manual_clock>>;
  using heap = boost::asio::detail::timer_queue<traits>;

  heap queue_;
  std::vector<wait> waits_;  // outlives the timers, which destroy their remaining waits
  std::vector<heap::per_timer_data> timers_;
};

}  // namespace detent::bench
