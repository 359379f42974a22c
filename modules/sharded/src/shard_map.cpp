// SPDX-License-Identifier: MIT
#include "shard_map.hpp"

#include "platform/current_cpu.hpp"
#include "platform/thread_end.hpp"

#include <detent/base/atomic.hpp>
#include <detent/base/compiler.hpp>

#include <algorithm>
#include <new>

namespace detent::detail {
namespace {

struct binding {
  std::weak_ptr<const shard_map> map;  // kept, so that its address cannot become another set's
  const shard_map* address;
  std::size_t shard;
};

// A thread is bound in a set or two, so a vector is the fastest to search.
using bindings = std::vector<binding>;

// Null if the thread is not bound. A plain pointer, so that destructors of static and thread-local objects can read and
// replace it, in any order.
DETENT_INITIAL_EXEC constinit thread_local bindings* of_this_thread = nullptr;

void free_bindings(void* bound) noexcept {
  of_this_thread = nullptr;
  delete static_cast<bindings*>(bound);
}

bindings& make_bindings() {
  static const thread_end end(free_bindings);
  of_this_thread = new bindings;
  end.set(of_this_thread);
  return *of_this_thread;
}

// Threads are numbered when they first ask.
std::size_t number_of_this_thread() noexcept {
  static base::atomic<std::size_t> next{0};
  thread_local const std::size_t mine = next.fetch_add(1, base::relaxed);  // relaxed: it must only be unique
  return mine;
}

}  // namespace

shard_map::shard_map(std::size_t shards, std::span<const int> usable, std::span<const int> pinned_to)
    : shards_(shards) {
  const auto at = [this](int cpu) -> range& {
    const auto index = static_cast<std::size_t>(cpu);
    if (by_cpu_.size() <= index) by_cpu_.resize(index + 1);
    return by_cpu_[index];
  };
  for (std::size_t i = 0; i < usable.size(); ++i) {
    const std::size_t first = i * shards / usable.size(), end = (i + 1) * shards / usable.size();
    at(usable[i]) = {static_cast<std::uint32_t>(first),
                     static_cast<std::uint32_t>(std::max(end - first, std::size_t{1}))};
  }
  for (std::size_t i = 0; i < pinned_to.size(); ++i) at(pinned_to[i]) = {static_cast<std::uint32_t>(i), 1};
}

std::size_t shard_map::of_cpu(int cpu, std::size_t thread) const noexcept {
  const auto index = static_cast<std::size_t>(std::max(cpu, 0));
  const range found = index < by_cpu_.size() ? by_cpu_[index] : range();
  return found.count == 0 ? index % shards_ : found.first + thread % found.count;
}

void bind_this_thread(const std::shared_ptr<const shard_map>& map, std::size_t shard) {
  bindings& bound = of_this_thread != nullptr ? *of_this_thread : make_bindings();
  std::erase_if(bound, [&](const binding& each) { return each.address == map.get() || each.map.expired(); });
  bound.push_back({map, map.get(), shard});
}

std::size_t local_shard(const shard_map& map) noexcept {
  if (of_this_thread != nullptr) {
    for (const binding& each : *of_this_thread) {
      if (each.address == &map) return each.shard;
    }
  }
  return map.of_cpu(current_cpu(), number_of_this_thread());
}

}  // namespace detent::detail
