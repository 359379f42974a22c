// SPDX-License-Identifier: MIT
#include "submission/submission_queue.hpp"

namespace detent::detail {

bool submission_queue::extend(producer& mine) noexcept {
  entry_block* const next = blocks_.take();
  if (next == nullptr) return false;
  if (mine.last_ == nullptr) {
    mine.begin_ = next;
  } else {
    mine.last_->link.store(next, base::relaxed);  // relaxed: published by (1)
  }
  mine.last_ = next;
  mine.to_ = next->entries.data();
  mine.to_end_ = mine.to_ + entry_block::room;
  return true;
}

void submission_queue::leave(producer& mine) noexcept {
  // Relaxed: its own. (4) acquire: pairs with (3). While the queue is empty the driver reads none of what is reset
  // here.
  if (mine.last_ == nullptr || mine.taken_.load(base::acquire) != mine.pushed_.load(base::relaxed)) return;
  blocks_.give_back(*mine.last_);
  mine.to_ = mine.to_end_ = nullptr;
  mine.from_ = mine.from_end_ = nullptr;
  mine.begin_ = mine.last_ = mine.first_ = nullptr;
}

// There is one, as there are entries left.
void submission_queue::go_to_next_block(producer& drained) noexcept {
  entry_block* const was = drained.first_;
  drained.first_ = was == nullptr ? drained.begin_ : was->link.load(base::relaxed);  // relaxed: after (2)
  if (was != nullptr) blocks_.give(*was);
  drained.from_ = drained.first_->entries.data();
  drained.from_end_ = drained.from_ + entry_block::room;
}

std::size_t submission_queue::take_from(producer& pushed, std::uint64_t* out, std::size_t room) noexcept {
  const std::size_t count = std::min(ready(pushed), room);
  for (std::size_t left = count; left != 0;) {
    if (pushed.from_ == pushed.from_end_) go_to_next_block(pushed);
    const std::size_t piece = std::min(left, static_cast<std::size_t>(pushed.from_end_ - pushed.from_));
    out = std::copy_n(pushed.from_, piece, out);
    pushed.from_ += piece;
    left -= piece;
  }
  // Relaxed: its own. (3) release: the block is read no more; pairs with (4).
  pushed.taken_.store(pushed.taken_.load(base::relaxed) + count, base::release);
  return count;
}

std::size_t submission_queue::take_marked(std::uint64_t* out, std::size_t room) noexcept {
  std::size_t taken = 0;
  pushers_.visit_marked([&](pusher& marked) {
    const std::size_t count = take_from(static_cast<producer&>(marked), out + taken, room - taken);
    taken += count;
    return taken == room ? visit::enough : count != 0 ? visit::some : visit::nothing;
  });
  return taken;
}

std::size_t submission_queue::size_marked() noexcept {
  std::size_t found = 0;
  pushers_.visit_marked([&found](pusher& marked) {
    const std::size_t count = ready(static_cast<producer&>(marked));
    found += count;
    return count != 0 ? visit::some : visit::nothing;
  });
  return found;
}

}  // namespace detent::detail
