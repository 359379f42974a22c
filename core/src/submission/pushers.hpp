// SPDX-License-Identifier: MIT
// Marks that say which producers have something for the driver, so that it visits only those, however many threads
// there are.
//
//   producer                                  driver
//     push the entry                            clear the marks of those that it found idle
//     (fence)                                   (fence)
//     no mark? set it; (fence)                  visit them once more, and all that have set theirs
//
// Of any push and any clearing of the mark, one side sees the other: a Dekker handshake with the two fences of
// doorbell.hpp, of which either kind will do. A mark stays while its producer is busy, and a push then costs a load of
// the producer's own line. The mark itself comes before the second fence, which precedes the read of the wake time,
// because a driver that announces a new wake time must find the mark.
#pragma once

#include <detent/base/atomic.hpp>

#include "limits.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <new>

namespace detent::detail {

// A producer's own part.
class pusher {
 public:
  // Called by the producer, after the fence that follows a push. Relaxed: the fence orders it.
  bool is_marked() const noexcept { return marked_.load(base::relaxed); }

 private:
  friend class pushers;
  base::atomic<bool> marked_{false};  // set by the producer, cleared by the driver
  std::uint32_t number_ = 0;
};

// The result of a visit to a producer.
enum class visit : std::uint8_t {
  nothing,
  some,
  enough  // and the round ends here
};

// All producers of a queue. None ever leaves; one that its thread leaves passes to another.
class pushers {
 public:
  pushers() noexcept = default;
  ~pushers();
  pushers(const pushers&) = delete;
  pushers& operator=(const pushers&) = delete;

  // --- Any thread

  // To be called before its first push. Returns false if there is no memory.
  bool enrol(pusher& made) noexcept;
  // To be called if is_marked() is false. The producer passes another fence before it reads the wake time.
  void mark(pusher& mine) noexcept;

  // --- The driver

  // Returns true if no producer has anything, and false also if there are more producers than a group holds. Takes a
  // few instructions.
  bool is_quiet() const noexcept {
    // Relaxed, both: as a visit that finds no entries.
    return first_.visited == 0 && first_.fresh.load(base::relaxed) == 0 && first_.next.load(base::relaxed) == nullptr;
  }
  // Visits the producers that may have something, from the one after the last round's early end: f(pusher&) -> visit.
  template <class F>
  void visit_marked(F&& f) noexcept;
  // Clears the marks of those that had nothing since the last call. The driver passes its fence before it visits any.
  void unmark_idle() noexcept;
  // Does the same and passes that fence, where no raise of the wake time follows.
  template <class Bell>
  void forget_idle(Bell& bell) noexcept {
    unmark_idle();
    bell.fence_driver();
  }
  // Visits that found nothing since then.
  std::uint32_t idle_visits() const noexcept { return idle_visits_; }

 private:
  static constexpr std::uint32_t group_size = limits::producers_a_word;
  struct group {
    base::atomic<std::uint64_t> fresh{0};  // marks that the driver has not taken up yet
    base::atomic<group*> next{nullptr};
    std::array<base::atomic<pusher*>, group_size> members{};
    // Used by the driver alone: the producers that it visits, and those that had something since unmark_idle().
    std::uint64_t visited = 0, busy = 0;
  };

  group* group_of(std::uint32_t number, bool makes) noexcept;
  group& after(const group& each) noexcept {
    group* const next = each.next.load(base::acquire);  // (4) pairs with (3)
    return next != nullptr ? *next : first_;
  }
  static std::uint64_t bit(std::uint32_t number) noexcept { return std::uint64_t{1} << number % group_size; }
  template <class F>
  bool visit_some(group& of, std::uint64_t which, F& f) noexcept;

  base::atomic<std::uint32_t> count_{0};
  group first_;
  // Used by the driver alone: where the next round begins.
  group* turn_ = &first_;
  std::uint32_t turn_member_ = 0;
  std::uint32_t idle_visits_ = 0;
};

inline pushers::~pushers() {
  for (group* each = first_.next.load(base::relaxed); each != nullptr;) {  // relaxed: no other thread is left
    group* const next = each->next.load(base::relaxed);
    delete each;
    each = next;
  }
}

inline bool pushers::enrol(pusher& made) noexcept {
  made.number_ = count_.fetch_add(1, base::relaxed);  // relaxed: must only be unique
  group* const of = group_of(made.number_, true);
  if (of == nullptr) return false;
  // (1) release: pairs with (2), beside the mark that follows it.
  of->members[made.number_ % group_size].store(&made, base::release);
  return true;
}

inline pushers::group* pushers::group_of(std::uint32_t number, bool makes) noexcept {
  group* found = &first_;
  for (std::uint32_t i = number / group_size; i != 0; --i) {
    group* next = found->next.load(base::acquire);  // (4)
    if (next == nullptr && makes) {
      auto* const made = new (std::nothrow) group;
      // (3) release: the group is made; pairs with (4), as on failure.
      if (made != nullptr && found->next.compare_exchange_strong(next, made, base::release, base::acquire)) {
        next = made;
      } else {
        delete made;
      }
    }
    if (next == nullptr) return nullptr;
    found = next;
  }
  return found;
}

inline void pushers::mark(pusher& mine) noexcept {
  mine.marked_.store(true, base::relaxed);  // relaxed: cleared only by the driver that has taken up (5)
  // (5) release: pairs with (6), so that the driver finds the member, and clears no mark before it was set.
  group_of(mine.number_, false)->fresh.fetch_or(bit(mine.number_), base::release);
}

template <class F>
void pushers::visit_marked(F&& f) noexcept {
  group* each = turn_;
  std::uint64_t which = ~std::uint64_t{0} << turn_member_;
  const std::uint64_t rest = ~which;
  do {
    if (!visit_some(*each, which, f)) return;
    which = ~std::uint64_t{0};
    each = &after(*each);
  } while (each != turn_);
  if (rest != 0) visit_some(*each, rest, f);
}

template <class F>
bool pushers::visit_some(group& of, std::uint64_t which, F& f) noexcept {
  // Relaxed: (6) decides.
  if (of.fresh.load(base::relaxed) != 0)
    of.visited |= of.fresh.exchange(0, base::acquire);  // (6) acquire: pairs with (5)
  for (std::uint64_t left = of.visited & which; left != 0; left &= left - 1) {
    const auto place = static_cast<std::uint32_t>(std::countr_zero(left));
    pusher& member = *of.members[place].load(base::acquire);  // (2) acquire: pairs with (1)
    const visit found = f(member);
    if (found == visit::nothing) {
      ++idle_visits_;
      // Relaxed: a mark that has been set since brings the bit back.
      if (!member.marked_.load(base::relaxed)) of.visited &= ~bit(place);
      continue;
    }
    of.busy |= bit(place);
    if (found == visit::some) continue;
    turn_member_ = (place + 1) % group_size;
    turn_ = turn_member_ != 0 ? &of : &after(of);
    return false;
  }
  return true;
}

inline void pushers::unmark_idle() noexcept {
  group* each = &first_;
  do {
    for (std::uint64_t left = each->visited & ~each->busy; left != 0; left &= left - 1) {
      const auto place = static_cast<std::uint32_t>(std::countr_zero(left));
      each->members[place].load(base::acquire)->marked_.store(false, base::relaxed);  // (2); relaxed: the fence
    }
    each->busy = 0;
    each = &after(*each);
  } while (each != &first_);
  idle_visits_ = 0;
}

}  // namespace detent::detail
