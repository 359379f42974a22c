// SPDX-License-Identifier: MIT
// Threads that work for another one, one at a time: the thread that calls run() waits until the work is done.
#pragma once

#include "support/meeting.hpp"

#include <functional>
#include <memory>
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
      each->begin.give();
      each->thread.join();
    }
  }

  // Does the work on that thread; they are numbered from 1 on.
  void run(unsigned number, const std::function<void()>& work) {
    while (all_.size() < number) add();
    helper& chosen = *all_[number - 1];
    chosen.work = &work;
    chosen.begin.give();
    chosen.done.take();
  }

 private:
  struct helper {
    test::turn begin, done;
    const std::function<void()>* work = nullptr;
    std::thread thread;
  };

  void add() {
    helper& made = *all_.emplace_back(std::make_unique<helper>());
    made.thread = std::thread([&made] {
      for (;;) {
        made.begin.take();
        if (made.work == nullptr) return;
        (*made.work)();
        made.done.give();
      }
    });
  }

  std::vector<std::unique_ptr<helper>> all_;
};

}  // namespace detent::poll_walks
