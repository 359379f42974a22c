// SPDX-License-Identifier: MIT
#include "threads/thread_registry.hpp"

#include "limits.hpp"
#include "platform/check.hpp"
#include "platform/thread_end.hpp"

#include <new>

namespace detent::detail {

constinit thread_local thread_registry::record_of thread_registry::last_used;
constinit thread_local record_table thread_registry::table;

struct thread_exit {
  static void hand_back();  // the thread's records, at its end
};

namespace {

thread_local bool thread_is_ending = false;  // trivial, so that it can be read when all else is destroyed

std::uint64_t next_engine_id() noexcept {
  static base::atomic<std::uint64_t> issued{0};
  return issued.fetch_add(1, base::relaxed) + 1;  // relaxed: must only be unique
}

}  // namespace

void thread_exit::hand_back() {
  thread_is_ending = true;
  thread_registry::last_used = {};
  thread_registry::table.for_each([](const record_table::place& each) {
    if (!each.record->link.leave()) {
      base::show_acquire(each.record);
      delete each.record;
      return;
    }
    each.record->host->take_leave(each.record->host->engine, *each.record);
    base::show_release(each.record);
    each.record->link.left();
  });
  thread_registry::table.release();
}

thread_registry::thread_registry(const thread_host& host) noexcept : engine_id_(next_engine_id()), host_(host) {
  if (counter_cell* cells = host_.counts.take_cells())
    spare_ = new (std::nothrow) thread_record(host_, engine_id_, cells, 0);
  if (spare_ != nullptr) spare_->lent = true;
}

thread_record& thread_registry::borrow_spare() noexcept {
  if (spare_turn_.try_lock()) return *spare_;
  if (thread_record* const other = adopt_or_make()) {
    other->lent = true;
    other->lent_to.store(std::this_thread::get_id(), base::relaxed);  // relaxed: as a call_hazard is raised
    return *other;
  }
  spare_turn_.lock();
  return *spare_;
}

void thread_registry::take_back(thread_record& used) noexcept {
  if (&used == spare_) return spare_turn_.unlock();
  used.lent = false;
  // Does what a thread that ends does with its own record. The engine exists, because a call is under way.
  static_cast<void>(used.link.leave());
  host_.take_leave(host_.engine, used);
  // (4) release: pairs with (5). From here on the record's link holds up the end of the engine.
  used.lent_to.store({}, base::release);
  used.link.left();
}

thread_registry::~thread_registry() {
  for (thread_record* each = first_.load(base::relaxed); each != nullptr;) {  // relaxed: no thread is left to add one
    thread_record* next = each->next;
    each->open.store(fast_paths::none, base::relaxed);
    host_.retire(host_.engine, *each);  // before a thread that lives on may free it
    base::show_release(each);
    if (each->link.end_engine()) {
      base::show_acquire(each);
      host_.retire(host_.engine, *each);  // what its thread has left since
      delete each;
    }
    each = next;
  }
  if (spare_ != nullptr) host_.retire(host_.engine, *spare_);
  delete spare_;
}

// Frees what a thread kept for an engine that has ended.
void thread_registry::forget(const record_table::place& of_dead) noexcept {
  const bool is_gone = of_dead.record->link.engine_gone();
  DETENT_ASSERT(is_gone);
  static_cast<void>(is_gone);
  base::show_acquire(of_dead.record);
  if (last_used.record == of_dead.record) last_used = {};
  delete of_dead.record;
}

thread_record* thread_registry::find() const noexcept {
  const record_table::place* const known = table.find(host_.engine);
  return known != nullptr && known->record->engine == engine_id_ ? known->record : nullptr;
}

thread_record* thread_registry::find_or_make() noexcept {
  if (thread_is_ending) return nullptr;
  if (thread_record* const known = find()) {
    remember(*known);
    return known;
  }
  at_thread_end(thread_exit::hand_back);
  thread_record* const record = adopt_or_make();
  if (record == nullptr) return nullptr;
  const record_table::place added{host_.engine, record};
  try {
    if (record_table::place* const earlier = table.find(host_.engine)) {
      forget(*earlier);  // its engine has ended, as this one is at its address
      *earlier = added;
    } else {
      table.add(
          added, [](const record_table::place& each) { return each.record->link.engine_gone(); }, forget);
    }
  } catch (const std::bad_alloc&) {
    static_cast<void>(record->link.leave());
    record->link.left();
    return nullptr;
  }
  remember(*record);
  return record;
}

void thread_registry::remember(thread_record& record) noexcept {
  // Relaxed, as all of `open`: hints.
  record.open.store(record.driving != nullptr ? fast_paths::none : open_.load(base::relaxed), base::relaxed);
  last_used = {host_.engine, &record, engine_id_};
}

void thread_registry::open_fast_paths(fast_paths which) noexcept {
  open_.store(which, base::relaxed);
  for_each([which](thread_record& each) { each.open.store(which, base::relaxed); });
}

// The driver tells a restarted timer from its entry in the due queue by the arming order. So two threads begin to count
// far from each other.
std::uint32_t thread_registry::first_order() noexcept {
  const std::uint32_t number = made_.fetch_add(1, base::relaxed) + 1;  // relaxed: a count that protects nothing
  return number % limits::first_orders * (limits::orders_spread / limits::first_orders);
}

thread_record* thread_registry::adopt_or_make() noexcept {
  for (thread_record* each = first_.load(base::acquire); each != nullptr; each = each->next) {  // (1) pairs with (2)
    if (!each->link.adopt()) continue;
    base::show_acquire(each);
    return each;
  }
  counter_cell* const cells = host_.counts.take_cells();
  if (cells == nullptr) return nullptr;
  auto* made = new (std::nothrow) thread_record(host_, engine_id_, cells, first_order());
  if (made == nullptr) return nullptr;
  if (!made->enrolled) {
    delete made;
    return nullptr;
  }
  made->next = first_.load(base::relaxed);  // relaxed: the exchange below confirms it
  // (2) release: pairs with (1); failure relaxed, as it is only compared again.
  while (!first_.compare_exchange_weak(made->next, made, base::release, base::relaxed)) {
  }
  return made;
}

void thread_registry::wait_for_calls() noexcept {
  const std::thread::id me = std::this_thread::get_id();
  const thread_record* const own = find();
  int pauses = limits::pauses_for_a_call;
  const auto pause = [&pauses](const auto&) {
    if (pauses-- > 0) return base::cpu_pause();
    std::this_thread::sleep_for(std::chrono::nanoseconds(limits::sleep_for_a_call));
  };
  for_each([&](const thread_record& each) {
    // (5) acquire: pairs with (4). A record that this thread has borrowed is in use further up its stack, like its own.
    for (std::thread::id user; (user = each.lent_to.load(base::acquire)) != std::thread::id{}; pause(user)) {
      if (user == me) return;
    }
    if (&each != own) each.hazard.wait(pause);
  });
  std::lock_guard spare_is_free(spare_turn_);
}

std::uint64_t thread_registry::total(counter which) const noexcept {
  std::uint64_t sum = spare_->counts.read(which);
  for_each([&](const thread_record& each) { sum += each.counts.read(which); });
  return sum;
}

std::size_t thread_registry::backlog() const noexcept {
  std::size_t sum = 0;
  const auto add = [&sum](const thread_record& each) {
    const producer* const critical = each.critical.load(base::acquire);  // (3) acquire: pairs with (1) of inbox.cpp
    sum += each.pushed.size_approx() + (critical != nullptr ? critical->size_approx() : 0);
  };
  add(*spare_);
  for_each(add);
  return sum;
}

}  // namespace detent::detail
