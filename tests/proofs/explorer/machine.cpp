// SPDX-License-Identifier: MIT
// Executions from beginning to end, and plain memory. The atomic operations are in operations.cpp.
#include "machine.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace model {
namespace {

std::string text_of(site where) {
  const char* name = std::strrchr(where.file, '/');
  return std::string(name == nullptr ? where.file : name + 1) + ":" + std::to_string(where.line);
}

}  // namespace

machine& machine::instance() {
  static machine the_one;
  return the_one;
}

std::string machine::run(const bounds& limits, const std::function<void()>& body, bool traced) {
  limits_ = limits;
  traced_ = traced;
  trace_.clear();
  complaint_.clear();
  steps_ = 0;
  surprises_ = 0;
  time_ = INT64_MIN;
  heavy_fences_refused_ = false;
  heap_.reset();
  memory_.reset(limits.weak);
  choices_.rewind();
  for (site& each : last_) each = {"", 0};
  scheduler_.run({limits.preemptions, limits.time_passes}, body, [this] { fail(describe_stuck()); });
  if (complaint_.empty()) {
    if (std::string leaked = heap_.leaks(); !leaked.empty()) complaint_ = "leak: never freed: " + leaked;
  }
  return complaint_;
}

void machine::start(const char* name, std::function<void()> work) {
  if (scheduler_.start(name, std::move(work)) == nullptr) fail("too many threads");
  end();
}

void machine::join() {
  scheduler_.join();
  end();
}

void machine::fail(std::string complaint) {
  if (!executing()) {
    std::fprintf(stderr, "model: %s\n", complaint.c_str());
    std::abort();
  }
  complaint_ = "thread " + std::to_string(self().self) + " (" + self().name + "): " + std::move(complaint);
  scheduler_.stop();
}

void machine::reach(const char* mark) {
  for (const std::string& each : marks_) {
    if (each == mark) return;
  }
  marks_.push_back(mark);
}

void machine::require(std::string complaint) {
  if (complaint.empty()) return;
  if (last_[self().self].line != 0) complaint += "   [after " + text_of(last_[self().self]) + "]";
  fail(std::move(complaint));
}

std::string machine::describe_stuck() const {
  std::string text = "deadlock:";
  for (std::size_t i = 0; i != scheduler_.thread_count(); ++i) {
    const thread& each = scheduler_.at(i);
    if (each.is != thread::state::paused && each.is != thread::state::sleeping) continue;
    text +=
        " " + each.name + (each.is == thread::state::paused ? " spins" : " sleeps on " + heap_.name(each.sleeps_on));
    text += " [" + text_of(last_[i]) + "]";
  }
  return text;
}

void machine::note(const std::string& text) {
  if (traced_) trace_.push_back(std::to_string(self().self) + " " + self().name + ": " + text);
}

void machine::say(site where, const char* operation, const void* at, order o,
                  std::initializer_list<std::uint64_t> values) {
  if (!traced_) return;
  std::string text = operation;
  if (at != nullptr) text += " " + heap_.name(at);
  text += std::string(" ") + name_of(o);
  char digits[24];
  for (std::uint64_t each : values) {
    const void* as_pointer = reinterpret_cast<const void*>(each);
    std::snprintf(digits, sizeof digits, "%#llx", static_cast<unsigned long long>(each));
    text += std::string(" ") + (heap_.contains(as_pointer) ? "&" + heap_.name(as_pointer) : digits);
  }
  if (memory_.was_stale()) text += " (not the newest)";
  note(text + "   [" + text_of(where) + "]");
}

void* machine::allocate(std::size_t bytes, std::size_t alignment, const char* label) {
  void* memory = heap_.allocate(bytes, alignment, label, self().self, self().now.ordered[self().self]);
  if (memory == nullptr) fail("an execution with too much memory");
  return memory;
}

void machine::free(void* memory) {
  if (traced_) note("free " + heap_.name(memory));
  std::size_t bytes = 0;
  require(heap_.begin_free(memory, bytes));
  plain_write(memory, bytes);  // to free is to write all of it
  heap_.end_free(memory, bytes);
}

void machine::plain_read(const void* from, std::size_t bytes) {
  if (!executing() || !heap_.contains(from)) return;
  const clock& ordered = self().now.ordered;
  require(heap_.read(from, bytes, self().self, ordered));
  for (std::size_t i = 0; i != bytes; ++i) {
    const void* address = static_cast<const std::byte*>(from) + i;
    memory::location place = heap_.at(address).location;
    if (place != heap::no_location && memory_.unordered_writer(place, ordered) != max_threads)
      require("data race: reads the atomic " + heap_.name(address) + " plainly");
  }
}

// A plain write where an atomic lies is the construction of another object there.
void machine::plain_write(const void* from, std::size_t bytes) {
  if (!executing() || !heap_.contains(from)) return;
  const clock& ordered = self().now.ordered;
  require(heap_.write(from, bytes, self().self, ordered));
  for (std::size_t i = 0; i != bytes; ++i) {
    const void* address = static_cast<const std::byte*>(from) + i;
    memory::location& place = heap_.at(address).location;
    if (place == heap::no_location) continue;
    if (memory_.unordered_user(place, ordered) != max_threads)
      require("data race: overwrites the atomic " + heap_.name(address) + " while others use it");
    place = heap::no_location;
  }
}

}  // namespace model
