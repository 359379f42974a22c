// SPDX-License-Identifier: MIT
#include "console/history_file.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <utility>

#include "text/input_error.hpp"

namespace detent::tool {
namespace {

constexpr char file_magic[16] = "detent history\n";
constexpr std::uint32_t format_version = 1, own_byte_order = 0x01020304;

// The parts of a file, in their layout. Each begins with a CRC-32 of what follows it.
struct file_head {
  std::uint32_t checksum = 0, version = format_version, byte_order = own_byte_order;
  std::uint32_t places = most_kept, steps = kept_steps, reserved = 0;
  std::int64_t length_us = 0;
};
struct file_entry {
  std::uint32_t checksum = 0, reserved = 0;
  std::uint64_t tag = 0;
  std::int64_t process = 0;
  char id[288] = {}, name[200] = {};
};
struct file_record {
  std::uint32_t checksum = 0, judged = 0;
  std::uint64_t tag = 0;  // of the record's engine, because the place may have had another one before
  std::int64_t at_us = 0;
  float seconds = 0, p50 = 0, p99 = 0, most = 0, scheduled = 0, fired = 0, cancelled = 0, missed = 0, pending = 0;
  std::uint32_t reserved = 0;
};
static_assert(sizeof(file_head) == 32 && sizeof(file_entry) == 512 && sizeof(file_record) == 64);
static_assert(std::has_unique_object_representations_v<file_head>, "a checksum is of every byte");

constexpr std::size_t head_at = sizeof file_magic, entries_at = 4096,
                      records_at = entries_at + most_kept * sizeof(file_entry);
constexpr std::size_t ring_bytes = kept_steps * sizeof(file_record);

template <class Part>
std::uint32_t checksum_of(const Part& part) {
  constexpr std::size_t skipped = sizeof part.checksum;
  return static_cast<std::uint32_t>(
      crc32(0, reinterpret_cast<const Bytef*>(&part) + skipped, static_cast<uInt>(sizeof part - skipped)));
}

// Returns a number that is never 0.
std::uint64_t tag_of(std::string_view id) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char byte : id) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3U;
  return hash | 1;
}

// Returns whether the text is an id as in console_engine::id; it becomes part of addresses.
bool is_id(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-';
  });
}

file_record record_of(const kept_sample& its, std::uint64_t tag) {
  file_record made{.judged = static_cast<std::uint32_t>(its.judged),
                   .tag = tag,
                   .at_us = its.at.time_since_epoch().count(),
                   .seconds = its.seconds,
                   .p50 = its.p50,
                   .p99 = its.p99,
                   .most = its.most,
                   .scheduled = its.scheduled,
                   .fired = its.fired,
                   .cancelled = its.cancelled,
                   .missed = its.missed,
                   .pending = its.pending};
  made.checksum = checksum_of(made);
  return made;
}

// The checksum proves nothing, because others may have written the file.
bool is_sound(const file_record& its, std::uint64_t tag) {
  const auto counts = {its.seconds, its.scheduled, its.fired, its.cancelled, its.missed, its.pending};
  const auto times = {its.p50, its.p99, its.most};
  return its.checksum == checksum_of(its) && its.tag == tag &&
         its.judged <= static_cast<std::uint32_t>(severity::fine) &&
         std::ranges::all_of(counts, [](float each) { return std::isfinite(each) && each >= 0; }) &&
         std::ranges::all_of(times, [](float each) { return std::isfinite(each); });
}

kept_sample sample_in(const file_record& its) {
  return {.at = console_time(std::chrono::microseconds(its.at_us)),
          .seconds = its.seconds,
          .p50 = its.p50,
          .p99 = its.p99,
          .most = its.most,
          .scheduled = its.scheduled,
          .fired = its.fired,
          .cancelled = its.cancelled,
          .missed = its.missed,
          .pending = its.pending,
          .judged = static_cast<severity>(its.judged)};
}

std::size_t record_at(std::size_t place, std::size_t step) {
  return records_at + place * ring_bytes + step * sizeof(file_record);
}

[[noreturn]] void refuse(const std::string& option, const std::string& path, const std::string& why) {
  throw input_error(fmt::format("{}: {}: {}", option, in_quotes(path), why));
}

}  // namespace

history_file::history_file(std::string option, const std::string& path, std::chrono::microseconds length)
    : option_(std::move(option)), path_(path), length_(length) {
  // O_NONBLOCK, so that a pipe is refused instead of waited for.
  descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0600);
  if (descriptor_ < 0) refuse(option_, path_, std::strerror(errno));
  try {
    lock();
    take_over();
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

history_file::~history_file() { ::close(descriptor_); }

void history_file::lock() {
  struct stat status = {};
  if (::fstat(descriptor_, &status) != 0) refuse(option_, path_, std::strerror(errno));
  if (!S_ISREG(status.st_mode)) refuse(option_, path_, "it is not a regular file");
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) == 0) return;
  if (errno == EWOULDBLOCK) refuse(option_, path_, "another console has it; give this one a file of its own");
  refuse(option_, path_, std::strerror(errno));
}

void history_file::take_over() {
  char magic[sizeof file_magic] = {};
  file_head head;
  const off_t size = ::lseek(descriptor_, 0, SEEK_END);
  if (size == 0) return start_over("");
  if (!get(magic, sizeof magic, 0) || !std::ranges::equal(magic, file_magic))
    refuse(option_, path_, "it is not a history of the console, and is left as it is: name another file");
  const bool whole = get(&head, sizeof head, head_at);
  if (whole && head.byte_order == own_byte_order && head.version != format_version)
    return start_over(
        fmt::format("it is of version {}, and this console writes version {}", head.version, format_version));
  if (!whole || head.checksum != checksum_of(head) || head.places != most_kept || head.steps != kept_steps)
    return start_over("its head is damaged");
  if (head.length_us != length_.count())
    start_over(fmt::format("it keeps {} s, and --keep says {} s", head.length_us / 1'000'000,
                           std::chrono::floor<std::chrono::seconds>(length_).count()));
}

void history_file::start_over(const std::string& why) {
  if (!why.empty()) note_ = fmt::format("{}: {}: started over: {}", option_, in_quotes(path_), why);
  if (::ftruncate(descriptor_, 0) != 0) refuse(option_, path_, std::strerror(errno));
  file_head head{.length_us = length_.count()};
  head.checksum = checksum_of(head);
  std::array<char, sizeof file_magic + sizeof head> first{};
  std::memcpy(first.data(), file_magic, sizeof file_magic);
  std::memcpy(first.data() + head_at, &head, sizeof head);
  put(first.data(), first.size(), 0);
}

void history_file::put(const void* bytes, std::size_t count, std::size_t offset) const {
  const ssize_t went = ::pwrite(descriptor_, bytes, count, static_cast<off_t>(offset));
  if (went == static_cast<ssize_t>(count)) return;
  refuse(option_, path_, std::string("it cannot be written: ") + std::strerror(went < 0 ? errno : ENOSPC));
}

// Returns false if the file is shorter or cannot be read.
bool history_file::get(void* into, std::size_t count, std::size_t offset) const {
  return ::pread(descriptor_, into, count, static_cast<off_t>(offset)) == static_cast<ssize_t>(count);
}

std::vector<history_file::contents> history_file::read(console_time now) const {
  std::vector<contents> out(most_kept);
  std::vector<file_record> ring(kept_steps);
  for (std::size_t place = 0; place < most_kept; ++place) {
    file_entry entry;
    if (!get(&entry, sizeof entry, entries_at + place * sizeof entry)) continue;
    const std::string id(entry.id, ::strnlen(entry.id, sizeof entry.id));
    if (entry.checksum != checksum_of(entry) || !is_id(id) || entry.tag != tag_of(id)) continue;
    contents& its = out[place];
    its.engine = {id, std::string(entry.name, ::strnlen(entry.name, sizeof entry.name)), entry.process};
    // The end of the file may lie within the ring of its last place.
    std::ranges::fill(ring, file_record());
    if (::pread(descriptor_, ring.data(), ring_bytes, static_cast<off_t>(record_at(place, 0))) <= 0) continue;
    for (const file_record& each : ring) {
      if (!is_sound(each, entry.tag)) continue;
      const console_time at{std::chrono::microseconds(each.at_us)};
      if (at <= now && at > now - length_) its.samples.push_back(sample_in(each));
    }
    std::ranges::stable_sort(its.samples, {}, &kept_sample::at);
  }
  return out;
}

void history_file::write(std::size_t place, const kept_engine& engine, const kept_sample& sample) {
  const std::uint64_t tag = tag_of(engine.id);
  if (entered_[place] != tag) {
    file_entry entry{.tag = tag, .process = engine.process};
    engine.id.copy(entry.id, sizeof entry.id - 1);
    engine.name.copy(entry.name, sizeof entry.name - 1);
    entry.checksum = checksum_of(entry);
    put(&entry, sizeof entry, entries_at + place * sizeof entry);
    entered_[place] = tag;
  }
  const auto step = static_cast<std::uint64_t>(sample.at.time_since_epoch() / step_of(length_)) % kept_steps;
  const file_record record = record_of(sample, tag);
  put(&record, sizeof record, record_at(place, step));
}

}  // namespace detent::tool
