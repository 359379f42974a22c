// SPDX-License-Identifier: MIT
#include "thread_registry.hpp"

#include "engine_core.hpp"

#include <new>
#include <vector>

namespace detent::detail {

constinit thread_local thread_registry::record_of thread_registry::last_used;

// The calling thread's records, of all engines. Its destructor hands them back.
struct thread_exit {
  struct entry {
    std::uint64_t engine;
    engine_core* owner;
    thread_record* record;
  };
  std::vector<entry> entries;

  ~thread_exit();
  // Frees what belonged to engines that have gone.
  void forget_dead() noexcept;
};

namespace {

thread_local bool thread_is_ending = false;  // trivial, so that it can be read when all else is destroyed

thread_exit& this_thread() {
  thread_local thread_exit records;
  return records;
}

std::uint64_t next_engine_id() noexcept {
  static base::atomic<std::uint64_t> issued{0};
  return issued.fetch_add(1, base::relaxed) + 1;  // relaxed: only has to be unique
}

}  // namespace

thread_exit::~thread_exit() {
  thread_is_ending = true;
  thread_registry::last_used = {};
  for (entry& each : entries) {
    if (!each.record->link.leave()) {
      delete each.record;
      continue;
    }
    each.owner->thread_leaves(*each.record);
    each.record->link.left();
  }
}

void thread_exit::forget_dead() noexcept {
  std::erase_if(entries, [](const entry& each) {
    if (!each.record->link.engine_gone()) return false;
    if (thread_registry::last_used.record == each.record) thread_registry::last_used = {};
    delete each.record;
    return true;
  });
}

thread_registry::thread_registry(engine_core& owner) noexcept : engine_id_(next_engine_id()), owner_(owner) {
  if (counter_cell* cells = owner.counts().take_cells())
    spare_ = new (std::nothrow) thread_record(owner.queue(), cells);
}

thread_registry::~thread_registry() {
  for (thread_record* each = first_.load(base::relaxed); each != nullptr;) {  // relaxed: nobody is left to add one
    thread_record* next = each->next;
    each->producer.reset();  // before the thread may free the record, and while the queue still is
    each->open.store(shortcuts::none, base::relaxed);
    if (each->link.end_engine()) delete each;
    each = next;
  }
  delete spare_;
}

thread_record* thread_registry::find_or_make() noexcept {
  if (thread_is_ending) return nullptr;
  try {
    std::vector<thread_exit::entry>& entries = this_thread().entries;
    for (const thread_exit::entry& each : entries) {
      if (each.engine != engine_id_) continue;
      remember(*each.record);
      return each.record;
    }
    this_thread().forget_dead();
    entries.reserve(entries.size() + 1);
    thread_record* record = adopt_or_make();
    if (record == nullptr) return nullptr;
    entries.push_back({engine_id_, &owner_, record});
    remember(*record);
    return record;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void thread_registry::remember(thread_record& record) noexcept {
  // Relaxed, as all of `open`: hints.
  record.open.store(record.driving ? shortcuts::none : open_.load(base::relaxed), base::relaxed);
  last_used = {&owner_, &record, engine_id_};
}

void thread_registry::open_shortcuts(shortcuts which) noexcept {
  open_.store(which, base::relaxed);
  for_each([which](thread_record& each) { each.open.store(which, base::relaxed); });
}

thread_record* thread_registry::adopt_or_make() noexcept {
  for (thread_record* each = first_.load(base::acquire); each != nullptr; each = each->next) {  // (1) pairs with (2)
    if (each->link.adopt()) return each;
  }
  counter_cell* const cells = owner_.counts().take_cells();
  if (cells == nullptr) return nullptr;
  auto* made = new (std::nothrow) thread_record(owner_.queue(), cells);
  if (made == nullptr) return nullptr;
  if (!made->producer->valid()) {
    delete made;
    return nullptr;
  }
  made->next = first_.load(base::relaxed);  // relaxed: the exchange below confirms it
  // (2) release: pairs with (1); failure relaxed, as it is only compared again.
  while (!first_.compare_exchange_weak(made->next, made, base::release, base::relaxed)) {
  }
  return made;
}

std::uint64_t thread_registry::total(counter which) const noexcept {
  std::uint64_t sum = spare_->counts.read(which);
  for_each([&](const thread_record& each) { sum += each.counts.read(which); });
  return sum;
}

}  // namespace detent::detail
