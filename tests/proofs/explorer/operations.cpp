// SPDX-License-Identifier: MIT
// The atomic operations, fences and futexes of the machine: each a scheduling point, then one step of the memory.
#include "machine.hpp"

#include <algorithm>
#include <cstring>

namespace model {
namespace {

std::uint64_t raw(const void* at, unsigned size) {
  std::uint64_t value = 0;
  std::memcpy(&value, at, size);
  return value;
}

}  // namespace

void machine::begin(site where) {
  last_[self().self] = where;
  if (++steps_ > limits_.steps)
    fail("does not end: livelock, or more than " + std::to_string(limits_.steps) + " steps");
  scheduler_.step();
}

memory::location machine::place_of(const void* at, unsigned size, bool writes) {
  if (!heap_.contains(at)) fail("an atomic that is not in the memory of the model");
  const clock& ordered = self().now.ordered;
  require(writes ? heap_.write_atomically(at, size, ordered) : heap_.read_atomically(at, size, ordered));
  heap::byte& first = heap_.at(at);
  if (first.location != heap::no_location) return first.location;
  // The first operation on it: until now it was as its memory is.
  memory::location place = memory_.add(raw(at, size), first.writer, first.written);
  for (unsigned i = 0; i != size; ++i) heap_.at(static_cast<const std::byte*>(at) + i).location = place;
  return place;
}

std::uint64_t machine::load(const void* at, unsigned size, order o, site where) {
  if (!executing()) return raw(at, size);
  begin(where);
  o = orders_.of("load", o, where);
  std::uint64_t value = memory_.load(self(), place_of(at, size, false), o);
  say(where, "load", at, o, {value});
  end();
  return value;
}

void machine::store(void* at, unsigned size, std::uint64_t value, order o, site where) {
  if (!executing()) return static_cast<void>(std::memcpy(at, &value, size));
  begin(where);
  o = orders_.of("store", o, where);
  memory_.store(self(), place_of(at, size, true), value, o);
  scheduler_.note_store();
  say(where, "store", at, o, {value});
  end();
}

std::uint64_t machine::update(void* at, unsigned size, const char* name, memory::change how, std::uint64_t operand,
                              order o, site where) {
  if (!executing()) {
    std::uint64_t before = raw(at, size), after = how(before, operand);
    std::memcpy(at, &after, size);
    return before;
  }
  begin(where);
  o = orders_.of(name, o, where);
  std::uint64_t before = memory_.update(self(), place_of(at, size, true), how, operand, o);
  scheduler_.note_store();
  say(where, name, at, o, {operand, before});
  end();
  return before;
}

bool machine::surprise() {
  if (surprises_ == limits_.surprises || choices_.choose(2) == 0) return false;
  ++surprises_;
  return true;
}

bool machine::compare_exchange(void* at, unsigned size, std::uint64_t& expected, std::uint64_t desired, order success,
                               order failure, bool weak, site where) {
  memory::updated result{};
  if (!executing()) {
    result = {raw(at, size), raw(at, size) == expected};
    if (result.done) std::memcpy(at, &desired, size);
  } else {
    begin(where);
    success = orders_.of("success", success, where);
    failure = orders_.of("failure", failure, where);
    memory::location place = place_of(at, size, true);
    if (weak && surprise()) {
      result = {memory_.load(self(), place, failure), false};
    } else {
      result = memory_.compare_exchange(self(), place, expected, desired, ~std::uint64_t{0}, success, failure);
    }
    if (result.done) scheduler_.note_store();
    say(where, result.done ? "exchanged" : "did not exchange", at, result.done ? success : failure,
        {expected, desired, result.before});
    end();
  }
  expected = result.before;
  return result.done;
}

bool machine::compare_exchange_upper(void* at, std::uint32_t expected, std::uint32_t desired, site where) {
  constexpr std::uint64_t mask = ~std::uint64_t{0} << 32;
  if (!executing()) {
    if (raw(at, 8) >> 32 != expected) return false;
    std::uint64_t after = (raw(at, 8) & ~mask) | std::uint64_t{desired} << 32;
    std::memcpy(at, &after, 8);
    return true;
  }
  begin(where);
  memory::updated result = memory_.compare_exchange(self(), place_of(at, 8, true), std::uint64_t{expected} << 32,
                                                    std::uint64_t{desired} << 32, mask, order::acq_rel, order::acquire);
  if (result.done) scheduler_.note_store();
  say(where, result.done ? "exchanged the upper half of" : "did not exchange the upper half of", at,
      result.done ? order::acq_rel : order::acquire, {expected, desired, result.before});
  end();
  return result.done;
}

bool machine::compare_exchange_both(void* low, void* high, const std::uint64_t (&expected)[2],
                                    const std::uint64_t (&desired)[2], site where) {
  if (!executing()) {
    if (raw(low, 8) != expected[0] || raw(high, 8) != expected[1]) return false;
    std::memcpy(low, &desired[0], 8);
    std::memcpy(high, &desired[1], 8);
    return true;
  }
  begin(where);
  memory::location below = place_of(low, 8, true), above = place_of(high, 8, true);
  bool done = memory_.compare_exchange_both(self(), below, above, expected, desired);
  if (done) scheduler_.note_store();
  say(where, done ? "exchanged both" : "did not exchange both", low, order::seq_cst,
      {expected[0], expected[1], desired[0], desired[1]});
  end();
  return done;
}

void machine::fence(order o, site where) {
  if (executing()) make_fence(orders_.of("fence", o, where), where);
}

void machine::make_fence(order o, site where) {
  begin(where);
  memory_.fence(self(), o);
  say(where, "fence", nullptr, o, {});
  end();
}

bool machine::heavy_fence(site where) {
  if (heavy_fences_refused_) return false;
  fence_everybody(where);
  return true;
}

void machine::fence_everybody(site where) {
  if (!executing()) return;
  const std::size_t caller = self().self;
  make_fence(order::seq_cst, where);
  // Weakened, it is a fence of the caller alone.
  if (orders_.of("everybody", order::seq_cst, where) != order::seq_cst) return;
  for (std::size_t i = 0; i != scheduler_.thread_count(); ++i) {
    if (i == caller) continue;
    // One that has ended was taken off its core, which is a fence as well.
    if (scheduler_.at(i).is != thread::state::ended) begin(where);
    memory_.fence(scheduler_.at(i), order::seq_cst);
    scheduler_.at(i).now.tick(i);
    if (traced_) note("interrupts " + scheduler_.at(i).name + " with a fence");
    end();
  }
  make_fence(order::seq_cst, where);
}

machine::wait_result machine::futex_wait(const void* at, std::uint32_t expected, std::int64_t deadline, site where) {
  if (!executing()) return wait_result::changed;
  begin(where);
  if (memory_.newest(place_of(at, sizeof expected, false)) != expected) {
    if (traced_) note("futex_wait " + heap_.name(at) + ": changed");
    end();
    return wait_result::changed;
  }
  if (surprise()) {
    if (traced_) note("futex_wait " + heap_.name(at) + ": woken for no reason");
    end();
    return wait_result::interrupted;
  }
  if (traced_) note("futex_wait " + heap_.name(at) + ": sleeps");
  scheduler_.sleep(at, deadline);
  if (traced_) note(self().timed_out ? "timed out" : "woken");
  if (self().timed_out) time_ = std::max(time_, deadline);
  end();
  return self().timed_out ? wait_result::timed_out : wait_result::woken;
}

void machine::futex_wake(const void* at, int count, site where) {
  if (!executing()) return;
  begin(where);
  if (traced_) note("futex_wake " + heap_.name(at));
  scheduler_.wake(at, count);
  end();
}

void machine::pause(site where) {
  if (!executing()) return;
  last_[self().self] = where;
  if (++steps_ > limits_.steps)
    fail("does not end: livelock, or more than " + std::to_string(limits_.steps) + " steps");
  scheduler_.pause();
}

}  // namespace model
