// SPDX-License-Identifier: MIT
#include "submission/submission_queue.hpp"

#include <new>

namespace detent::detail {

bool submission_queue::push_beyond(producer& mine, std::uint64_t entry) noexcept {
  const queue_room::use ahead(room_);
  thread_queue* own = mine.mine();
  if (own == nullptr) own = mine.resume();
  if (own == nullptr) own = make(mine);
  const bool pushed = own != nullptr && own->push(entry);
  mine.show_allocated();
  return pushed;
}

thread_queue* submission_queue::make(producer& mine) noexcept {
  void* const place = queue_room::take(sizeof(thread_queue));
  if (place == nullptr) return nullptr;
  auto* const made = new (place) thread_queue;
  if (made->is_made()) {
    mine.begin(*made);
    return made;
  }
  made->~thread_queue();
  queue_room::give(place);
  return nullptr;
}

void submission_queue::end(thread_queue* ended) noexcept {
  if (ended == nullptr) return;
  const queue_room::use ahead(room_);
  ended->~thread_queue();
  queue_room::give(ended);
}

std::size_t submission_queue::take_from(producer& pushed, std::uint64_t* out, std::size_t room) noexcept {
  std::size_t count = 0;
  if (const std::uint64_t ready = pushed.ready(); ready != 0) {
    count = pushed.filled().take(out, std::min<std::size_t>(ready, room));  // what is pushed is not counted at once
    pushed.count_taken(count);
  }
  if (pushed.is_left()) [[unlikely]]
    end(pushed.take_left());
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
    const std::size_t count = static_cast<producer&>(marked).ready();
    found += count;
    return count != 0 ? visit::some : visit::nothing;
  });
  return found;
}

}  // namespace detent::detail
