// SPDX-License-Identifier: MIT
// Threads that do what they are told, one at a time: the one that tells waits until it is done.
#pragma once

#include <functional>
#include <memory>
#include <semaphore>
#include <thread>
#include <vector>

namespace detent::poll_walks {

class helpers {
 public:
  helpers() = default;
  helpers(const helpers&) = delete;
  helpers& operator=(const helpers&) = delete;
  ~helpers() {
    for (auto& each : all_) {
      each->work = nullptr;
      each->begin.release();
      each->thread.join();
    }
  }

  // On thread `number`, from 1 on.
  void run(unsigned number, const std::function<void()>& work) {
    while (all_.size() < number) add();
    helper& chosen = *all_[number - 1];
    chosen.work = &work;
    chosen.begin.release();
    chosen.done.acquire();
  }

 private:
  struct helper {
    std::binary_semaphore begin{0}, done{0};
    const std::function<void()>* work = nullptr;
    std::thread thread;
  };

  void add() {
    helper& made = *all_.emplace_back(std::make_unique<helper>());
    made.thread = std::thread([&made] {
      for (;;) {
        made.begin.acquire();
        if (made.work == nullptr) return;
        (*made.work)();
        made.done.release();
      }
    });
  }

  std::vector<std::unique_ptr<helper>> all_;
};

}  // namespace detent::poll_walks
