// SPDX-License-Identifier: MIT
#include "crew.hpp"

namespace detent::sim {

crew::crew(unsigned size) {
  for (unsigned i = 1; i < size; ++i) start(*members_.emplace_back(std::make_unique<member>()));
}

crew::~crew() {
  for (auto& each : members_) end(*each);
}

std::uint64_t crew::identity(unsigned number) const noexcept {
  return number == 0 ? 0 : members_[number - 1]->identity;
}

bool crew::waits(unsigned number) const noexcept {
  if (number == moving_) return false;
  return number == 0 || members_[number - 1]->busy;
}

void crew::start(member& starting) {
  starting.identity = ++identities_;
  starting.leave = false;
  starting.thread = std::thread([&starting] {
    std::unique_lock lock(starting.mutex);
    for (;;) {
      starting.changed.wait(lock, [&] { return starting.work != nullptr || starting.leave; });
      if (starting.work == nullptr) return;
      const std::function<void()>& work = *starting.work;
      lock.unlock();
      work();
      lock.lock();
      starting.work = nullptr;
      starting.changed.notify_all();
    }
  });
}

void crew::end(member& ending) {
  {
    std::lock_guard lock(ending.mutex);
    ending.leave = true;
  }
  ending.changed.notify_all();
  ending.thread.join();
}

void crew::run(unsigned number, const std::function<void()>& work) {
  const unsigned before = moving_;
  if (number == before) return work();
  member& called = *members_[number - 1];
  called.busy = true;
  moving_ = number;
  {
    std::unique_lock lock(called.mutex);
    called.work = &work;
    called.changed.notify_all();
    called.changed.wait(lock, [&] { return called.work == nullptr; });
  }
  moving_ = before;
  called.busy = false;
}

void crew::replace(unsigned number) {
  member& leaving = *members_[number - 1];
  end(leaving);
  start(leaving);
}

}  // namespace detent::sim
