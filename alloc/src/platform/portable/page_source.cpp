// SPDX-License-Identifier: MIT
// Memory by the page from the heap, which has large pieces from the system untouched. It cannot be locked, bound to a
// node or given back in part, and of huge pages nothing is known.
#include <detent/alloc/page_source.hpp>
#include <detent/alloc/platform/aligned_heap.hpp>

#include <cerrno>
#include <cstring>

namespace detent::alloc {
page_source::page_source(const memory_options& options) noexcept : options_(options) {}
page_source::~page_source() = default;

void* page_source::obtain(std::size_t bytes) noexcept {
  return take_from_heap(bytes, bytes >= huge_page_bytes ? huge_page_bytes : heap_page_bytes);
}

page_source::refusal page_source::prepare(void* memory, std::size_t bytes, bool) const noexcept {
  if (options_.prefault == preference::off) return {};
  auto* const touched = static_cast<volatile std::byte*>(memory);
  for (std::size_t at = 0; at < bytes; at += heap_page_bytes) touched[at] = std::byte{0};
  return {};
}

void* page_source::allocate(std::size_t bytes, bool full) noexcept {
  void* const memory = obtain(bytes);
  if (memory != nullptr) prepare(memory, bytes, full);
  return memory;
}
void page_source::release(void* memory, std::size_t) noexcept { give_to_heap(memory); }
void page_source::touch(void*, std::size_t) noexcept {}
void page_source::give_back(void*, std::size_t) noexcept {}
void* page_source::allocate_sparse(std::size_t bytes) noexcept { return take_from_heap(bytes, heap_page_bytes); }
void page_source::release_sparse(void* memory, std::size_t) noexcept { give_to_heap(memory); }

page_source::problem page_source::check() noexcept {
  const auto refuse = [this](problem what) {
    refusal_ = {what, ENOSYS};
    return what;
  };
  if (options_.source == memory_source::jemalloc) return problem::jemalloc_absent;
  if (options_.huge_pages == preference::require) return refuse(problem::huge_pages);
  if (options_.lock == preference::require) return refuse(problem::lock);
  if (options_.numa_node) return refuse(problem::numa_node);
  if (options_.give_back_after.count() != 0) return refuse(problem::give_back);
  void* const memory = obtain(huge_page_bytes);
  if (memory == nullptr) {
    refusal_ = {problem::no_memory, ENOMEM};
    return problem::no_memory;
  }
  give_to_heap(memory);
  return problem::none;
}

std::string page_source::explain(problem found) const {
  const std::string lacks = ": not on the portable ground; docs/portability.md says which options it has";
  switch (found) {
    case problem::none: return {};
    case problem::jemalloc_absent: return "memory.source = jemalloc" + lacks;
    case problem::huge_pages: return "memory.huge_pages = require" + lacks;
    case problem::prefault: return "memory.prefault = require" + lacks;
    case problem::lock: return "memory.lock = require" + lacks;
    case problem::numa_node: return "memory.numa_node = " + std::to_string(options_.numa_node.value_or(-1)) + lacks;
    case problem::give_back:
      return "memory.give_back_after = " + std::to_string(options_.give_back_after.count()) + " ns" + lacks;
    case problem::no_memory: return std::string("memory: ") + std::strerror(refusal_.error);
  }
  return {};
}

}  // namespace detent::alloc
