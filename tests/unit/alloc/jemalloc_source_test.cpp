// SPDX-License-Identifier: MIT
// A program of its own, because it links jemalloc.
#include <detent/alloc/page_source.hpp>
#include <detent/alloc/slot_pool.hpp>

#include <gtest/gtest.h>
#include <jemalloc/jemalloc.h>
#include <sys/mman.h>

#include <cstdint>
#include <fstream>
#include <string>

namespace detent::alloc {
namespace {

std::size_t statistic(unsigned arena, const std::string& name) {
  std::uint64_t epoch = 1;
  mallctl("epoch", nullptr, nullptr, &epoch, sizeof(epoch));
  std::size_t value = 0;
  std::size_t bytes = sizeof(value);
  const std::string path = "stats.arenas." + std::to_string(arena) + "." + name;
  EXPECT_EQ(mallctl(path.c_str(), &value, &bytes, nullptr, 0), 0) << path;
  return value;
}

unsigned arenas() {
  unsigned number = 0;
  std::size_t bytes = sizeof(number);
  EXPECT_EQ(mallctl("arenas.narenas", &number, &bytes, nullptr, 0), 0);
  return number;
}

TEST(JemallocSource, KeepsItsMemoryInAnArenaOfItsOwn) {
  page_source pages({.source = memory_source::jemalloc});
  ASSERT_EQ(pages.check(), page_source::problem::none);
  EXPECT_EQ(statistic(pages.jemalloc_arena(), "large.allocated"), 0U);
  void* memory = pages.allocate(huge_page_bytes);
  ASSERT_NE(memory, nullptr);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % huge_page_bytes, 0U);
  EXPECT_EQ(statistic(pages.jemalloc_arena(), "large.allocated"), huge_page_bytes);
  pages.release(memory, huge_page_bytes);
  EXPECT_EQ(statistic(pages.jemalloc_arena(), "large.allocated"), 0U);
}

TEST(JemallocSource, GivesZeroedMemoryASecondTime) {
  page_source pages({.source = memory_source::jemalloc});
  for (int round = 0; round != 3; ++round) {
    auto* memory = static_cast<char*>(pages.allocate(huge_page_bytes));
    ASSERT_NE(memory, nullptr);
    for (std::size_t at = 0; at < huge_page_bytes; at += 64) {
      ASSERT_EQ(memory[at], 0);
      memory[at] = 1;
    }
    pages.release(memory, huge_page_bytes);
  }
}

// In kB, as the kernel counts it.
long locked() {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("VmLck:", 0) == 0) return std::stol(line.substr(6));
  }
  return -1;
}

// A sanitizer has a munlock() that does nothing.
bool unlocking_works() {
  const long before = locked();
  void* page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mlock2(page, 4096, 0);
  munlock(page, 4096);
  const bool works = locked() == before;
  munmap(page, 4096);
  return works;
}

// jemalloc keeps the pages, and hands them to others.
TEST(JemallocSource, UnlocksWhatItGivesBack) {
  if (!unlocking_works()) GTEST_SKIP() << "nothing can be unlocked here";
  const long before = locked();
  page_source pages({.source = memory_source::jemalloc, .lock = preference::attempt});
  ASSERT_EQ(pages.check(), page_source::problem::none);
  void* memory = pages.allocate(huge_page_bytes);
  ASSERT_NE(memory, nullptr);
  if (locked() == before) GTEST_SKIP() << "nothing may be locked here";
  pages.release(memory, huge_page_bytes);
  EXPECT_EQ(locked(), before);
}

TEST(JemallocSource, UsesUpNoArenas) {
  auto once = [] {
    page_source pages({.source = memory_source::jemalloc, .lock = preference::attempt});
    slot_pool<> pool(pages, 1);
    EXPECT_TRUE(pool.ready());
  };
  once();
  const unsigned before = arenas();
  for (int i = 0; i != 100; ++i) once();
  EXPECT_EQ(arenas(), before);
}

}  // namespace
}  // namespace detent::alloc
