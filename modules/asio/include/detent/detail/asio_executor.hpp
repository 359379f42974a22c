// SPDX-License-Identifier: MIT
// Callbacks on an Asio executor.
#pragma once

#include <detent/executor.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <mutex>
#include <new>
#include <span>
#include <utility>
#include <vector>

namespace detent::detail {

// Callbacks that engines have handed over and no handler has taken yet, in order. While there are any, one handler is
// posted: it takes its share, and posts the next one before it runs that share. So an engine's thread posts once for
// all that comes due together, and each share is still a handler of its own, beside which another thread of the context
// may run the next. `Asio` is base::boost_asio or base::standalone_asio.
template <class Asio, class Executor>
class posted_callbacks : public std::enable_shared_from_this<posted_callbacks<Asio, Executor>> {
 public:
  posted_callbacks(Executor&& to, std::size_t at_once) noexcept
      : to_(std::move(to)), at_once_(std::max<std::size_t>(at_once, 1)) {}

  // Returns how many it took, from the front. Timers for which there is no memory stay as they are.
  std::size_t add(std::span<fired_timer> work) noexcept;

 private:
  class next_share;
  struct share {
    fired_timer first;
    std::vector<fired_timer> more;
    bool goes_on;  // by this handler, because the next could not be posted
  };

  bool post_next() noexcept;
  share take();
  void run();
  void drop_all() noexcept;

  static inline constinit thread_local const void* posting_ = nullptr;  // the object whose handler this thread posts

  const Executor to_;
  const std::size_t at_once_;

  std::mutex mutex_;
  std::vector<fired_timer> waiting_;
  std::size_t taken_ = 0;  // number taken from the front of these
  bool posted_ = false;    // if it is false, nothing waits
};

// The handler. If it is destroyed unrun with its context, it drops what waits, which is counted.
template <class Asio, class Executor>
class posted_callbacks<Asio, Executor>::next_share {
 public:
  explicit next_share(std::shared_ptr<posted_callbacks> of) noexcept : of_(std::move(of)) {}
  next_share(next_share&&) noexcept = default;
  next_share& operator=(next_share&&) = delete;
  ~next_share() {
    if (of_ != nullptr && posting_ != of_.get()) of_->drop_all();
  }
  void operator()() { std::exchange(of_, nullptr)->run(); }

 private:
  std::shared_ptr<posted_callbacks> of_;
};

template <class Asio, class Executor>
std::size_t posted_callbacks<Asio, Executor>::add(std::span<fired_timer> work) noexcept {
  const std::lock_guard lock(mutex_);
  std::size_t added = 0;
  try {
    for (; added < work.size(); ++added) waiting_.push_back(std::move(work[added]));
  } catch (const std::bad_alloc&) {  // this one was not moved
  }
  if (posted_ || added == 0) return added;
  posted_ = post_next();
  if (posted_) return added;
  std::move(waiting_.begin(), waiting_.end(), work.begin());
  waiting_.clear();
  return 0;
}

// Called under the lock: no handler runs or is destroyed inside a post, except one that is refused.
template <class Asio, class Executor>
bool posted_callbacks<Asio, Executor>::post_next() noexcept {
  const void* const outer = std::exchange(posting_, this);
  bool taken = true;
  try {
    Asio::post(to_, next_share(this->shared_from_this()));
  } catch (...) {
    taken = false;
  }
  posting_ = outer;
  return taken;
}

template <class Asio, class Executor>
auto posted_callbacks<Asio, Executor>::take() -> share {
  const std::lock_guard lock(mutex_);
  share mine{std::move(waiting_[taken_++]), {}, false};
  const std::size_t more = std::min(at_once_ - 1, waiting_.size() - taken_);
  if (more != 0) {
    const auto from = waiting_.begin() + static_cast<std::ptrdiff_t>(taken_);
    try {
      mine.more.assign(std::move_iterator(from), std::move_iterator(from + static_cast<std::ptrdiff_t>(more)));
      taken_ += more;
    } catch (const std::bad_alloc&) {  // then one at a time
    }
  }
  if (taken_ == waiting_.size()) {
    waiting_.clear();
    taken_ = 0;
    posted_ = false;
  } else {
    mine.goes_on = !post_next();
  }
  return mine;
}

template <class Asio, class Executor>
void posted_callbacks<Asio, Executor>::run() {
  for (bool goes_on = true; goes_on;) {
    share mine = take();
    goes_on = mine.goes_on;
    mine.first();
    for (fired_timer& each : mine.more) each();
  }
}

template <class Asio, class Executor>
void posted_callbacks<Asio, Executor>::drop_all() noexcept {
  std::vector<fired_timer> dropped;  // destroyed outside the lock, because the user's captures end with them
  const std::lock_guard lock(mutex_);
  dropped.swap(waiting_);
  taken_ = 0;
  posted_ = false;
}

template <class Asio, class Executor>
class posting_executor final : public executor {
 public:
  posting_executor(Executor&& to, std::size_t at_once)
      : callbacks_(std::make_shared<posted_callbacks<Asio, Executor>>(std::move(to), at_once)) {}

  bool execute(fired_timer&& work) noexcept override { return execute_many({&work, 1}) == 1; }
  std::size_t execute_many(std::span<fired_timer> work) noexcept override { return callbacks_->add(work); }
  // For every executor, because a strand may hide in an any_io_executor, and a context that one thread runs is as good
  // as a strand: on the engine's thread, a refused callback could run beside the handlers.
  bool keeps_order() const noexcept override { return true; }

 private:
  const std::shared_ptr<posted_callbacks<Asio, Executor>> callbacks_;
};

}  // namespace detent::detail
