// SPDX-License-Identifier: MIT
// The threads of a world: real ones, of which exactly one moves at a time. The baton goes with the call.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace detent::sim {

// Number 0 is the thread that makes the crew; the rest are its own.
class crew {
 public:
  explicit crew(unsigned size);
  ~crew();
  crew(const crew&) = delete;
  crew& operator=(const crew&) = delete;

  unsigned size() const noexcept { return static_cast<unsigned>(members_.size()) + 1; }
  // The number of the thread that moves.
  unsigned me() const noexcept { return moving_; }
  // Which thread that is, among all that there ever were.
  std::uint64_t identity(unsigned number) const noexcept;
  // Whether it has handed the baton on and waits for it: then nobody can call it.
  bool waits(unsigned number) const noexcept;
  // Has thread `number`, which does not wait, do it, and comes back when it is done.
  void run(unsigned number, const std::function<void()>& work);
  // The thread ends, another takes its number. Not 0, and not one that waits or moves.
  void replace(unsigned number);

 private:
  struct member {
    std::uint64_t identity = 0;
    std::mutex mutex;
    std::condition_variable changed;
    const std::function<void()>* work = nullptr;
    bool leave = false;
    bool busy = false;  // written by the thread that moves
    std::thread thread;
  };
  void start(member& starting);
  static void end(member& ending);

  std::vector<std::unique_ptr<member>> members_;
  unsigned moving_ = 0;
  std::uint64_t identities_ = 0;
};

}  // namespace detent::sim
