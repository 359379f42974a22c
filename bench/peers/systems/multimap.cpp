// SPDX-License-Identifier: MIT
// A timer written without a library: std::multimap, std::mutex, std::condition_variable, and a thread.
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "../works/all.hpp"

namespace {

using namespace peers;
using std::chrono::steady_clock;

class locked_map {
 public:
  struct slot;

 private:
  struct entry {
    argument work;
    slot* at;
  };
  using deadlines = std::multimap<steady_clock::time_point, entry>;

 public:
  struct slot {
    deadlines::iterator place;
    bool pending = false;
  };
  static constexpr bool slot_holds_timer = false;

  std::vector<slot> slots(std::size_t count) { return std::vector<slot>(count); }
  void settle() {}
  void stop() {
    {
      const std::lock_guard held(mutex_);
      stopped_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }

  class producer {
   public:
    explicit producer(locked_map& to) : to_(to) {}
    void schedule_after(slot& at, nanoseconds delay, const argument& work) {
      to_.schedule(at, steady_clock::now() + delay, work);
    }
    void schedule_at(slot& at, std::int64_t deadline_ns, const argument& work) {
      to_.schedule(at, steady_clock::time_point(nanoseconds(deadline_ns)), work);
    }
    void cancel(slot& at) { to_.cancel(at); }
    bool restart_at(slot& at, std::int64_t deadline_ns) {
      return to_.restart(at, steady_clock::time_point(nanoseconds(deadline_ns)));
    }
    void flush() {}

   private:
    locked_map& to_;
  };

 private:
  void schedule(slot& at, steady_clock::time_point deadline, const argument& work) {
    bool first;
    {
      const std::lock_guard held(mutex_);
      at.place = pending_.emplace(deadline, entry{work, &at});
      at.pending = true;
      first = at.place == pending_.begin() && deadline < waits_for_;
    }
    if (first) changed_.notify_one();
  }

  void cancel(slot& at) {
    const std::lock_guard held(mutex_);
    if (at.pending) pending_.erase(at.place);
    at.pending = false;
  }

  // The entry keeps its memory.
  bool restart(slot& at, steady_clock::time_point deadline) {
    bool first;
    {
      const std::lock_guard held(mutex_);
      if (!at.pending) return false;
      auto moved = pending_.extract(at.place);
      moved.key() = deadline;
      at.place = pending_.insert(std::move(moved));
      first = at.place == pending_.begin() && deadline < waits_for_;
    }
    if (first) changed_.notify_one();
    return true;
  }

  void run() {
    std::vector<argument> due;
    std::unique_lock held(mutex_);
    while (!stopped_) {
      const auto end = pending_.upper_bound(steady_clock::now());
      for (auto each = pending_.begin(); each != end; ++each) {
        each->second.at->pending = false;
        due.push_back(each->second.work);
      }
      pending_.erase(pending_.begin(), end);
      if (!due.empty()) {
        held.unlock();
        for (const argument& work : due) work();
        due.clear();
        held.lock();
      } else if (pending_.empty()) {
        waits_for_ = steady_clock::time_point::max();
        changed_.wait(held);
      } else {
        // A copy, because the entry may go while this thread waits.
        const steady_clock::time_point until = waits_for_ = pending_.begin()->first;
        changed_.wait_until(held, until);
      }
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  deadlines pending_;
  steady_clock::time_point waits_for_ = steady_clock::time_point::max();
  bool stopped_ = false;
  std::thread thread_{[this] { run(); }};
};

peers::system multimap() {
  peers::system made{
      .name = "multimap",
      .version = "libstdc++ " + std::to_string(__GLIBCXX__),
      .how =
          "std::multimap by deadline under one std::mutex, erased by iterator; a thread waits on a "
          "std::condition_variable, notified outside the lock and only for a deadline earlier than the one it waits "
          "for; what is due is taken in one go; jemalloc; timer slack 1 ns",
      .works = {}};
  add_works(made, {}, [](std::size_t) { return locked_map(); });
  return made;
}

}  // namespace

int main(int count, char** words) {
  return serve({words, static_cast<std::size_t>(count)}, {{.name = "multimap", .make = multimap}});
}
