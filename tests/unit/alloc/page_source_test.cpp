// SPDX-License-Identifier: MIT
#include <detent/alloc/page_source.hpp>

#include <gtest/gtest.h>
#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#include "counting_source.hpp"

namespace {
bool kernel_before_5_14 = false;
}

// In front of the C library's. Such a kernel does not know MADV_POPULATE_WRITE, nor do the headers of its time.
extern "C" int madvise(void* memory, std::size_t bytes, int advice) noexcept {
  if (kernel_before_5_14 && advice == 23) return errno = EINVAL, -1;
  return static_cast<int>(syscall(SYS_madvise, memory, bytes, advice));
}

namespace detent::alloc {
namespace {

using problem = page_source::problem;
using testing::flags_of;
using testing::mapped_bytes;
using testing::mappings;
using testing::resident_bytes;

bool all_zero(const void* memory, std::size_t bytes) {
  const auto* first = static_cast<const unsigned char*>(memory);
  return std::all_of(first, first + bytes, [](unsigned char each) { return each == 0; });
}

TEST(PageSource, AlignsLargePiecesToTheHugePage) {
  page_source pages({});
  for (std::size_t bytes : {huge_page_bytes, 3 * huge_page_bytes, huge_page_bytes + 4096}) {
    void* memory = pages.allocate(bytes);
    ASSERT_NE(memory, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % huge_page_bytes, 0U);
    EXPECT_TRUE(all_zero(memory, bytes));
    std::memset(memory, 0xff, bytes);
    pages.release(memory, bytes);
  }
}

TEST(PageSource, AlignsSmallPiecesToThePage) {
  page_source pages({});
  void* memory = pages.allocate(100);
  ASSERT_NE(memory, nullptr);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 4096, 0U);
  EXPECT_TRUE(all_zero(memory, 4096));
  pages.release(memory, 100);
}

TEST(PageSource, KeepsSparseMemoryUnresidentButForWhatWasWritten) {
  page_source pages({.huge_pages = preference::attempt, .prefault = preference::require});
  constexpr std::size_t bytes = 4 * huge_page_bytes;
  void* memory = pages.allocate_sparse(bytes);
  ASSERT_NE(memory, nullptr);
  EXPECT_EQ(resident_bytes(memory, bytes), 0U);
  static_cast<char*>(memory)[huge_page_bytes + 5] = 1;
  EXPECT_EQ(resident_bytes(memory, bytes), static_cast<std::size_t>(sysconf(_SC_PAGESIZE)));
  pages.release_sparse(memory, bytes);
}

TEST(PageSource, PrefaultsOnlyWhenAsked) {
  for (preference prefault : {preference::off, preference::attempt, preference::require}) {
    page_source pages({.huge_pages = preference::off, .prefault = prefault});
    ASSERT_EQ(pages.check(), problem::none);
    void* memory = pages.allocate(huge_page_bytes);
    ASSERT_NE(memory, nullptr);
    EXPECT_EQ(resident_bytes(memory, huge_page_bytes), prefault == preference::off ? 0U : huge_page_bytes);
    pages.release(memory, huge_page_bytes);
  }
}

TEST(PageSource, PrefaultsEveryPageOnAKernelThatHasNoAdviceForIt) {
  page_source pages({.huge_pages = preference::off, .prefault = preference::require});
  kernel_before_5_14 = true;
  const problem found = pages.check();
  void* memory = pages.allocate(huge_page_bytes);
  kernel_before_5_14 = false;
  EXPECT_EQ(found, problem::none);
  ASSERT_NE(memory, nullptr);
  EXPECT_EQ(resident_bytes(memory, huge_page_bytes), huge_page_bytes);
  pages.release(memory, huge_page_bytes);
}

// Neither beside a piece that is aligned, nor of one that was refused when it was there.
TEST(PageSource, LeavesNoMemoryMapped) {
  auto once = [] {
    page_source pages({});
    ASSERT_EQ(pages.check(), problem::none);
    void* slabs[3] = {};
    for (void*& each : slabs) each = pages.allocate(huge_page_bytes + 4096);
    for (void* each : slabs) pages.release(each, huge_page_bytes + 4096);
    page_source impossible({.numa_node = 5000});
    ASSERT_EQ(impossible.check(), problem::numa_node);
    ASSERT_EQ(impossible.allocate(huge_page_bytes), nullptr);
    ASSERT_EQ(impossible.allocate_sparse(huge_page_bytes), nullptr);
  };
  once();
  once();
  const std::uintptr_t after_the_second = mapped_bytes();
  for (int i = 2; i != 30; ++i) once();
  EXPECT_EQ(mapped_bytes(), after_the_second);
}

TEST(PageSource, RefusesMoreThanThereIs) {
  page_source pages({});
  EXPECT_EQ(pages.allocate(SIZE_MAX), nullptr);
  EXPECT_EQ(pages.allocate(SIZE_MAX - huge_page_bytes), nullptr);
  EXPECT_EQ(pages.allocate_sparse(SIZE_MAX), nullptr);
  EXPECT_EQ(pages.allocate(std::size_t{1} << 60), nullptr);
}

TEST(PageSource, ExplainsAMissingNumaNode) {
  for (int node : {-1, 1023, 1024, 5000}) {
    page_source pages({.numa_node = node});
    ASSERT_EQ(pages.check(), problem::numa_node);
    const std::string number = std::to_string(node);
    EXPECT_EQ(pages.explain(problem::numa_node), "memory.numa_node = " + number +
                                                     ": there is no /sys/devices/system/node/node" + number +
                                                     "; numactl --hardware lists the nodes");
    EXPECT_EQ(pages.allocate(huge_page_bytes), nullptr);
    EXPECT_EQ(pages.allocate_sparse(4096), nullptr);
  }
}

bool is_bound_to_node_0(void* memory) {
  int policy = MPOL_DEFAULT;
  unsigned long nodes[16] = {};  // the kernel wants room for all it could have
  return syscall(SYS_get_mempolicy, &policy, nodes, 1024UL, memory, MPOL_F_ADDR) == 0 && policy == MPOL_BIND &&
         nodes[0] == 1;
}

// Many a sandbox lets nobody choose, and an emulator may have no such call.
bool may_bind_to_node_0() {
  const unsigned long nodes = 1;
  void* memory = mmap(nullptr, huge_page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const bool may =
      syscall(SYS_mbind, memory, huge_page_bytes, MPOL_BIND, &nodes, 8UL, 0UL) == 0 && is_bound_to_node_0(memory);
  munmap(memory, huge_page_bytes);
  return may;
}

TEST(PageSource, BindsToANodeOrSaysWhyNot) {
  page_source pages({.numa_node = 0});
  const problem found = pages.check();
  if (may_bind_to_node_0()) {
    ASSERT_EQ(found, problem::none) << pages.explain(found);
    void* memory = pages.allocate(huge_page_bytes);
    void* sparse = pages.allocate_sparse(huge_page_bytes);
    EXPECT_TRUE(is_bound_to_node_0(memory));
    EXPECT_TRUE(is_bound_to_node_0(sparse));
    pages.release(memory, huge_page_bytes);
    pages.release_sparse(sparse, huge_page_bytes);
  } else if (found != problem::none) {
    ASSERT_EQ(found, problem::numa_node);
    EXPECT_EQ(pages.explain(found).rfind("memory.numa_node = 0: ", 0), 0U) << pages.explain(found);
  }
}

// Returns whether this kernel takes the advice, regardless of the policy.
bool takes_huge_page_advice() {
  void* memory = mmap(nullptr, huge_page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return false;
  const bool taken = madvise(memory, huge_page_bytes, MADV_HUGEPAGE) == 0;
  munmap(memory, huge_page_bytes);
  return taken;
}

TEST(PageSource, RequiresHugePagesExactlyWhereThePolicyHasThem) {
  std::ifstream file("/sys/kernel/mm/transparent_hugepage/enabled");
  std::string policy;
  std::getline(file, policy);
  page_source pages({.huge_pages = preference::require});
  if (!policy.empty() && policy.find("[never]") == std::string::npos) {
    const problem found = pages.check();
    EXPECT_EQ(found, takes_huge_page_advice() ? problem::none : problem::huge_pages) << pages.explain(found);
  } else {
    ASSERT_EQ(pages.check(), problem::huge_pages);
    EXPECT_EQ(pages.explain(problem::huge_pages),
              "memory.huge_pages = require: /sys/kernel/mm/transparent_hugepage/enabled is \"never\" or missing; write "
              "madvise to it, or take attempt");
  }
}

// An emulator may take the advice for nothing.
bool tells_huge_page_advice() {
  void* memory = mmap(nullptr, huge_page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  madvise(memory, huge_page_bytes, MADV_HUGEPAGE);
  const bool reported = flags_of(memory).find(" hg ") != std::string::npos;
  munmap(memory, huge_page_bytes);
  return reported;
}

TEST(PageSource, AdvisesTheKernelToGiveHugePagesOrNone) {
  if (!tells_huge_page_advice()) GTEST_SKIP() << "a kernel without huge pages, or silent";
  for (const preference wanted : {preference::attempt, preference::off}) {
    page_source pages({.huge_pages = wanted});
    void* memory = pages.allocate(huge_page_bytes);
    void* sparse = pages.allocate_sparse(huge_page_bytes);
    ASSERT_NE(memory, nullptr);
    ASSERT_NE(sparse, nullptr);
    const std::string flags = flags_of(memory), of_sparse = flags_of(sparse);
    pages.release(memory, huge_page_bytes);
    pages.release_sparse(sparse, huge_page_bytes);
    EXPECT_EQ(flags.find(" hg ") != std::string::npos, wanted == preference::attempt) << flags;
    EXPECT_EQ(flags.find(" nh ") != std::string::npos, wanted == preference::off) << flags;
    EXPECT_NE(of_sparse.find(" nh "), std::string::npos) << of_sparse;  // a page written is not to bring 511 more
  }
}

// In a child, where privileges and limits can be given up.
[[noreturn]] void require_lock_under(rlim_t limit) {
  const rlimit low{limit, limit};
  if (setrlimit(RLIMIT_MEMLOCK, &low) != 0) std::abort();
  if (geteuid() == 0 && setuid(65534) != 0) std::abort();
  page_source pages({.lock = preference::require});
  const problem found = pages.check();
  std::fprintf(stderr, "%s\n", pages.explain(found).c_str());
  const bool refused = found == problem::lock && pages.allocate(huge_page_bytes) == nullptr &&
                       pages.allocate_sparse(huge_page_bytes) == nullptr;
  page_source modest({.lock = preference::attempt});
  const bool served = modest.check() == problem::none && modest.allocate(huge_page_bytes) != nullptr &&
                      modest.allocate_sparse(huge_page_bytes) != nullptr;
  std::_Exit(refused && served ? 0 : 1);
}

TEST(PageSourceDeathTest, ExplainsALockThatIsRefused) {
  rlimit limit{};
  getrlimit(RLIMIT_MEMLOCK, &limit);
  if (geteuid() != 0 && limit.rlim_max < 64 * 1024) GTEST_SKIP() << "less than 64 kB may be locked here";
  EXPECT_EXIT(require_lock_under(64 * 1024), ::testing::ExitedWithCode(0),
              "memory.lock = require: mlock of 2097152 bytes: Cannot allocate memory; needs CAP_IPC_LOCK or a greater "
              "RLIMIT_MEMLOCK, which is "
              "64 KiB; LimitMEMLOCK=infinity");
}

TEST(PageSource, LocksWhatItMay) {
  page_source pages({.lock = preference::require});
  if (pages.check() != problem::none) GTEST_SKIP() << pages.explain(problem::lock);
  void* memory = pages.allocate(huge_page_bytes);
  ASSERT_NE(memory, nullptr);
  EXPECT_EQ(resident_bytes(memory, huge_page_bytes), huge_page_bytes);
  void* sparse = pages.allocate_sparse(huge_page_bytes);
  ASSERT_NE(sparse, nullptr);
  EXPECT_EQ(resident_bytes(sparse, huge_page_bytes), 0U);
  pages.release_sparse(sparse, huge_page_bytes);
  pages.release(memory, huge_page_bytes);
}

}  // namespace
}  // namespace detent::alloc
