// SPDX-License-Identifier: MIT
#include "ring.hpp"

#include <detent/durable_error.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

namespace detent::durable::detail {
namespace {

constexpr std::uint64_t magic = 0x676e69722d746e64;  // "dnt-ring"
constexpr std::uint32_t version = 1;
constexpr std::size_t header_bytes = 4096, slot_bytes = 1024;
constexpr std::size_t first_slots = 64, most_slots = std::size_t{1} << 20;

constexpr std::uint64_t mix(std::uint64_t sum, std::uint64_t word) noexcept {
  sum = (sum ^ word) * 0x9e3779b97f4a7c15u;
  return sum ^ sum >> 29;
}

std::uint64_t sum_of(const std::byte* from, std::size_t count, std::uint64_t sum) noexcept {
  for (; count >= 8; from += 8, count -= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, from, 8);
    sum = mix(sum, word);
  }
  std::uint64_t word = 0;
  std::memcpy(&word, from, count);
  return mix(sum, word ^ std::uint64_t{count} << 56);
}

// Changes when the machine starts. If it is 0, the start is not known, and no ring is believed.
std::array<std::uint64_t, 2> this_start() {
  std::array<char, 36> text{};
  if (!std::ifstream("/proc/sys/kernel/random/boot_id").read(text.data(), text.size())) return {};
  const auto* const bytes = reinterpret_cast<const std::byte*>(text.data());
  return {sum_of(bytes, 18, 1), sum_of(bytes + 18, 18, 1)};
}

enum class phase : std::uint64_t { free, under_way, ended, ended_untold };
constexpr std::uint64_t phase_bits = 3;

}  // namespace

struct ring::header {
  std::uint64_t magic_word, version_word, slots;
  std::array<std::uint64_t, 2> start;  // identifies the start of the machine
  std::uint64_t sum;                   // of the fields above
  base::atomic<std::uint64_t> generation, next_generation;
  base::atomic<std::uint64_t> unlisted;  // runs that have no slot

  std::uint64_t its_sum() const noexcept {
    return mix(mix(mix(mix(mix(0, magic_word), version_word), slots), start[0]), start[1]);
  }
};

// Written by one thread at a time: the one that begins the run, and then the one that ends it.
struct ring::slot {
  base::atomic<std::uint64_t> state;  // the phase, and a checksum of what was written in it
  std::uint64_t id;
  std::int64_t due;
  std::uint32_t attempt;
  shard_id shard;
  std::uint16_t key_size;
  std::uint32_t left_size;
  static constexpr std::size_t room = slot_bytes - 36;
  std::array<std::byte, room> bytes;  // the key, and the leavings of the run

  std::uint64_t sum() const noexcept {
    const std::uint64_t words[] = {id, static_cast<std::uint64_t>(due),
                                   attempt | std::uint64_t{shard} << 32 | std::uint64_t{key_size} << 48};
    return sum_of(bytes.data(), key_size, mix(mix(mix(0, words[0]), words[1]), words[2]));
  }
  std::uint64_t sum_with_left() const noexcept { return sum_of(bytes.data() + key_size, left_size, sum()); }
  std::uint64_t state_in(phase is) const noexcept {
    const auto number = static_cast<std::uint64_t>(is);
    return (mix(is == phase::ended ? sum_with_left() : sum(), number) & ~phase_bits) | number;
  }
  // (1) release: the process that reads this state at (4) reads what the checksum covers. Within this process the
  // compiler must not move the store, because the process may end at any instruction.
  void go_to(phase next) noexcept { state.store(state_in(next), base::release); }

  // Returns whether the slot is in that phase and everything that belongs to it is there. If so, `out` has it.
  bool read(phase is, std::uint64_t found, left_run& out) const {
    if (key_size > room || (is == phase::ended && left_size > room - key_size)) return false;
    if (found != state_in(is)) return false;
    out.shard = shard;
    out.key.assign(reinterpret_cast<const char*>(bytes.data()), key_size);
    out.id = id;
    out.due = stored_time(stored_time::duration(due));
    out.attempt = attempt;
    out.was = static_cast<left_run::state>(static_cast<std::uint64_t>(is) - 1);
    if (is != phase::ended) return true;
    if (!read_leavings({bytes.data() + key_size, left_size}, out.left)) return false;
    out.left.end.term.shard = shard;
    out.left.end.key = out.key;
    out.left.end.id = id;
    out.left.end.ran = out.due;
    return true;
  }
};

namespace {

class mapping {
 public:
  mapping(int file, std::size_t bytes, bool writes) noexcept
      : at_(::mmap(nullptr, bytes, writes ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, file, 0)), bytes_(bytes) {}
  mapping(const mapping&) = delete;
  mapping& operator=(const mapping&) = delete;
  ~mapping() {
    if (at() != nullptr) ::munmap(at_, bytes_);
  }
  std::byte* at() const noexcept { return at_ == MAP_FAILED ? nullptr : static_cast<std::byte*>(at_); }
  std::byte* let_go() noexcept { return static_cast<std::byte*>(std::exchange(at_, MAP_FAILED)); }

 private:
  void* at_;
  const std::size_t bytes_;
};

constexpr std::size_t size_with(std::size_t slots) noexcept { return header_bytes + slots * slot_bytes; }

std::size_t size_of(int file) noexcept {
  struct stat its {};
  return ::fstat(file, &its) == 0 && its.st_size > 0 ? static_cast<std::size_t>(its.st_size) : 0;
}

[[noreturn]] void refuse(const std::string& path, int reason) {
  const bool forbidden = reason == EACCES || reason == EPERM || reason == EROFS || reason == ELOOP;
  throw error(forbidden ? errc::not_permitted : errc::unavailable,
              "sqlite_store: " + path + ": " + std::strerror(reason) +
                  ": it keeps what runs, and is made beside the file: let it be written, with " +
                  std::to_string(size_with(first_slots) >> 10) + " KiB");
}

}  // namespace

left_ring ring::read(const std::string& path, std::uint64_t generation) {
  left_ring out;
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return out;
  const std::size_t bytes = size_of(file);
  const mapping mapped(file, std::max(bytes, header_bytes), false);
  ::close(file);
  if (mapped.at() == nullptr || bytes < header_bytes) return out;
  const header& head = *reinterpret_cast<const header*>(mapped.at());
  if (head.magic_word != magic || head.version_word != version || head.sum != head.its_sum()) return out;
  if (head.slots > most_slots || bytes < size_with(head.slots)) return out;
  if (head.start != this_start() || head.start[0] == 0 || generation == 0) return out;
  // (2) acquire, both: pair with (3) in a process that has ended.
  const std::uint64_t its = head.generation.load(base::acquire), next = head.next_generation.load(base::acquire);
  if (its != generation && next != generation) return out;
  for (std::size_t i = 0; i < head.slots; ++i) {
    const slot& each = *reinterpret_cast<const slot*>(mapped.at() + size_with(i));
    const std::uint64_t state = each.state.load(base::acquire);  // (4) acquire: pairs with (1)
    if (state == 0) continue;
    const auto is = static_cast<phase>(state & phase_bits);
    // Torn: nothing in the ring can be trusted.
    if (is == phase::free || !each.read(is, state, out.runs.emplace_back())) return {};
  }
  out.is_known = true;
  out.is_complete = head.unlisted.load(base::acquire) == 0;  // (6) acquire: pairs with (5)
  return out;
}

ring::header& ring::head() const noexcept { return *reinterpret_cast<header*>(mapped_); }
ring::slot& ring::at(place which) const noexcept { return *reinterpret_cast<slot*>(mapped_ + size_with(which)); }

ring::ring(const std::string& path, std::uint64_t generation, bool knows_former)
    : knows_former_(knows_former), fd_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644)) {
  static_assert(sizeof(header) <= header_bytes && sizeof(slot) == slot_bytes);
  if (fd_ < 0) refuse(path, errno);
  if (const int problem = map(first_slots); problem != 0) {
    ::close(fd_);
    refuse(path, problem);
  }
  has(generation);
}

ring::~ring() {
  ::munmap(mapped_, size_with(slots_));
  ::close(fd_);
}

// Allocates blocks on the disk, because a store into a page without them would end the process.
int ring::map(std::size_t slots) {
  if (const int problem = ::posix_fallocate(fd_, 0, static_cast<off_t>(size_with(slots))); problem != 0) return problem;
  mapping larger(fd_, size_with(slots), true);
  if (larger.at() == nullptr) return errno;
  free_.reserve(slots);  // before anything changes
  if (mapped_ != nullptr) ::munmap(mapped_, size_with(slots_));
  mapped_ = larger.let_go();
  const bool is_new = slots_ == 0;
  // relaxed, here and below: no database has this ring until its generation has been written.
  if (is_new) head().generation.store(0, base::relaxed);
  for (std::size_t i = slots_; i < slots; ++i) at(static_cast<place>(i)).state.store(0, base::relaxed);
  free_.clear();
  for (std::size_t i = slots; i-- > 0;) free_.push_back(static_cast<place>(i));
  slots_ = slots;
  header& its = head();
  its.magic_word = magic;
  its.version_word = version;
  its.slots = slots;
  its.start = this_start();
  its.sum = its.its_sum();
  if (is_new) its.unlisted.store(0, base::relaxed);
  return 0;
}

void ring::make_room(std::size_t runs) {
  const std::lock_guard locked(lock_);
  const std::size_t wanted = std::min(runs, most_slots);
  if (wanted > slots_ && free_.size() == slots_) static_cast<void>(map(wanted));
}

void ring::about_to_have(std::uint64_t generation) noexcept {
  head().next_generation.store(generation, base::release);  // (3) release: pairs with (2)
}

void ring::has(std::uint64_t generation) noexcept {
  // (3) release, both: as in about_to_have(), and for the slots, which are in order by now.
  head().next_generation.store(generation, base::release);
  head().generation.store(generation, base::release);
}

bool ring::is_empty() noexcept {
  const std::lock_guard locked(lock_);
  // relaxed: the calling thread is the one that calls release().
  return free_.size() == slots_ && head().unlisted.load(base::relaxed) == 0;
}

run_journal::place ring::begin(const record& what) noexcept {
  place its = nowhere;
  {
    const std::lock_guard locked(lock_);
    if (!free_.empty() && what.key.size() <= slot::room) {
      its = free_.back();
      free_.pop_back();
    }
  }
  if (its == nowhere) {
    head().unlisted.fetch_add(1, base::release);  // (5) release: before the handler is called; pairs with (6)
    return nowhere;
  }
  slot& to = at(its);
  to.id = what.id;
  to.due = what.due.time_since_epoch().count();
  to.attempt = what.attempt;
  to.shard = what.shard;
  to.key_size = static_cast<std::uint16_t>(what.key.size());
  std::memcpy(to.bytes.data(), what.key.data(), what.key.size());
  to.go_to(phase::under_way);
  return its;
}

void ring::end(place of, const end_request& how, std::span<const change> asked) noexcept {
  if (of == nowhere) return;
  slot& to = at(of);
  to.left_size = static_cast<std::uint32_t>(write_leavings(how, asked, std::span(to.bytes).subspan(to.key_size)));
  to.go_to(to.left_size != 0 ? phase::ended : phase::ended_untold);
}

void ring::release(std::span<const place> which) noexcept {
  const std::lock_guard locked(lock_);
  for (const place each : which) {
    if (each == nowhere) {
      head().unlisted.fetch_sub(1, base::release);  // (5) release: the run is over; pairs with (6)
      continue;
    }
    at(each).state.store(0, base::relaxed);  // relaxed: the lock orders this before the slot's next use
    free_.push_back(each);                   // never exceeds what was reserved
  }
}

}  // namespace detent::durable::detail
