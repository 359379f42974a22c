// SPDX-License-Identifier: MIT
// The executor of a walk, which treats timers as its mood says, and the calls that empty it.
#include "search/worker_walks/walk.hpp"

#include "search/worker_walks/stage.hpp"

#include <utility>

namespace detent::worker_walks {

class taker final : public executor {
 public:
  taker(walk& of, bool orders) : of_(of), orders_(orders) {}
  bool execute(fired_timer&& work) noexcept override { return of_.execute(std::move(work)); }
  bool keeps_order() const noexcept override { return orders_; }

 private:
  walk& of_;
  const bool orders_;
};

std::shared_ptr<executor> walk::make_executor() {
  return plays_.executor == 0 ? nullptr : std::make_shared<taker>(*this, plays_.orders);
}

bool walk::execute(fired_timer&& work) {
  const judge::ticket of = judge::ticket_of(work);
  undisturbed([&] { judge_.offer(of, work); });
  const mood now = mood_ == mood::mixed ? static_cast<mood>(++offers_ % unsigned(mood::mixed)) : mood_;
  if (now == mood::refuses) {
    judge_.refuse_offer(of);
    return false;
  }
  if (now == mood::holds) {
    judge_.hold(of);
    held_.push_back({std::move(work), of});
  } else {
    spend(std::move(work), of, now == mood::runs);
  }
  return true;
}

void walk::spend(fired_timer work, const judge::ticket& of, bool runs) {
  judge_.begin_call(me, of, runs);
  if (runs) {
    work();
  } else {
    static_cast<void>(fired_timer(std::move(work)));
  }
  judge_.end_call(me);
}

// Timers that the executor takes during the call stay with it.
void walk::hand_back(bool runs) {
  for (std::size_t left = held_.size(); left != 0 && !held_.empty(); --left) {
    held_job first = std::move(held_.front());
    held_.pop_front();
    spend(std::move(first.work), first.of, runs);
  }
}

}  // namespace detent::worker_walks
