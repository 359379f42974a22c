// SPDX-License-Identifier: MIT
#include "heap.hpp"

#include <sys/mman.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace model {
namespace {

constexpr std::size_t fence_bytes = 16;  // between two blocks, so that an access that leaves one is found

std::byte* map_memory(std::size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory != MAP_FAILED) return static_cast<std::byte*>(memory);
  std::perror("model: no memory for the shared heap");
  std::exit(EXIT_FAILURE);
}

std::size_t round_up(std::size_t value, std::size_t step) { return (value + step - 1) / step * step; }

}  // namespace

void heap::unmap::operator()(std::byte* memory) const { munmap(memory, capacity); }

heap::heap() : memory_(map_memory(capacity)), bytes_(capacity) {}

void heap::reset() {
  std::memset(memory_.get(), 0, used_);
  std::fill_n(bytes_.begin(), used_, byte{});
  blocks_.clear();
  used_ = 0;
}

void* heap::allocate(std::size_t bytes, std::size_t alignment, const char* label, thread_index by, moment at) {
  std::size_t begin = round_up(used_ + fence_bytes, std::max(alignment, fence_bytes));
  if (begin + bytes + fence_bytes > capacity) return nullptr;
  used_ = begin + bytes + fence_bytes;
  blocks_.push_back({begin, bytes, label, false});
  byte fresh;
  fresh.is = state::live;
  fresh.writer = by;
  fresh.written = at;
  std::fill_n(&bytes_[begin], bytes, fresh);
  return memory_.get() + begin;
}

const heap::block* heap::around(const void* address) const {
  auto after = std::upper_bound(blocks_.begin(), blocks_.end(), offset(address),
                                [](std::size_t wanted, const block& each) { return wanted < each.begin; });
  return after == blocks_.begin() ? nullptr : &*std::prev(after);
}

std::string heap::begin_free(void* memory, std::size_t& bytes) {
  const block* found = contains(memory) ? around(memory) : nullptr;
  if (found == nullptr || found->begin != offset(memory)) return "frees what was never allocated";
  if (found->freed) return "double free of " + name(memory);
  bytes = found->bytes;
  set_poisoned(memory, bytes, false);
  return {};
}

void heap::end_free(void* memory, std::size_t bytes) {
  for (std::size_t i = 0; i != bytes; ++i) bytes_[offset(memory) + i].is = state::freed;
  blocks_[static_cast<std::size_t>(around(memory) - blocks_.data())].freed = true;
}

void heap::set_poisoned(const void* from, std::size_t bytes, bool poisoned) {
  for (std::size_t i = 0; i != bytes; ++i) {
    byte& each = bytes_[offset(from) + i];
    if (each.is == state::live || each.is == state::poisoned) each.is = poisoned ? state::poisoned : state::live;
  }
}

std::string heap::complain(const char* what, const void* address, const clock& ordered) const {
  const byte& touched = bytes_[offset(address)];
  const std::string object = std::string(what) + " " + name(address);
  switch (touched.is) {
    case state::freed: return "use after free: " + object;
    case state::poisoned: return "use after end of life: " + object;
    case state::nothing: return "outside of any object: " + object;
    case state::live: break;
  }
  std::size_t other = touched.writer;
  if (touched.written <= ordered[other]) {
    for (other = 0; touched.read[other] <= ordered[other];) ++other;
  }
  return "data race: " + object + " without order against thread " + std::to_string(other);
}

inline bool heap::in_order(const byte& touched, const clock& ordered, bool reads_too) {
  if (touched.is != state::live || touched.written > ordered[touched.writer]) return false;
  for (std::size_t other = 0; reads_too && other != max_threads; ++other) {
    if (touched.read[other] > ordered[other]) return false;
  }
  return true;
}

std::string heap::check(const char* what, const void* from, std::size_t bytes, const clock& ordered,
                        bool reads_too) const {
  const byte* touched = &bytes_[offset(from)];
  for (std::size_t i = 0; i != bytes; ++i) {
    if (!in_order(touched[i], ordered, reads_too))
      return complain(what, static_cast<const std::byte*>(from) + i, ordered);
  }
  return {};
}

std::string heap::read(const void* from, std::size_t bytes, thread_index by, const clock& ordered) {
  std::string problem = check("reads", from, bytes, ordered, false);
  byte* touched = &bytes_[offset(from)];
  for (std::size_t i = 0; i != bytes; ++i) touched[i].read[by] = ordered[by];
  return problem;
}

std::string heap::write(const void* from, std::size_t bytes, thread_index by, const clock& ordered) {
  std::string problem = check("writes", from, bytes, ordered, true);
  byte* touched = &bytes_[offset(from)];
  for (std::size_t i = 0; i != bytes; ++i) {
    touched[i].writer = by;
    touched[i].written = ordered[by];
  }
  return problem;
}

std::string heap::read_atomically(const void* from, std::size_t bytes, const clock& ordered) const {
  return check("reads atomically", from, bytes, ordered, false);
}

std::string heap::write_atomically(const void* from, std::size_t bytes, const clock& ordered) const {
  return check("writes atomically", from, bytes, ordered, true);
}

std::string heap::name(const void* address) const {
  const block* found = contains(address) ? around(address) : nullptr;
  if (found == nullptr) return "memory of nobody";
  auto has_label = [found](const block& each) { return std::strcmp(each.label, found->label) == 0; };
  auto number = std::count_if(blocks_.data(), found + 1, has_label);
  auto namesakes = std::count_if(blocks_.begin(), blocks_.end(), has_label);
  std::string text = found->label;
  if (namesakes > 1) text += "#" + std::to_string(number);
  std::size_t into = offset(address) - found->begin;
  return into == 0 ? text : text + "+" + std::to_string(into);
}

std::string heap::leaks() const {
  std::string names;
  for (const block& each : blocks_) {
    if (each.freed) continue;
    names += (names.empty() ? "" : ", ") + name(memory_.get() + each.begin);
  }
  return names;
}

}  // namespace model
