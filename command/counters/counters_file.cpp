// SPDX-License-Identifier: MIT
#include "counters/counters_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <limits>
#include <span>
#include <string_view>
#include <utility>

#include "counters/counters_header.hpp"
#include "counters/counters_identity.hpp"
#include "counters/said_text.hpp"
#include "host/lock_holder.hpp"
#include "host/name_spaces.hpp"
#include "text/input_error.hpp"
#include "text/printable_text.hpp"

namespace detent::tool {
namespace {

using counters_layout::header;
using words = std::span<const std::uint64_t>;

// The parts leave zeros out. Their number is what each part lacks to the count of the whole.
void complete_parts(histograms_by_cause& histograms) {
  const std::uint64_t whole = histograms[cause::lateness].count();
  for (const cause part : {cause::drain, cause::wait, cause::worker, cause::dispatch}) {
    const std::uint64_t recorded = histograms[part].count();
    histograms[part].add_zeros(whole > recorded ? whole - recorded : 0);
  }
}

// Covers, besides the histograms, the fields and what is made of them, such as a row and a line of text for each
// histogram.
constexpr std::size_t least_engine_bytes = 16 << 10, least_label_bytes = 4 << 10;

void take(std::size_t& from, std::size_t bytes) { from -= std::min(from, bytes); }

// No engine gives two labels the same name, but a damaged file may; then a number distinguishes them.
std::string unlike(const std::vector<label_snapshot>& labels, std::string name) {
  const auto taken = [&labels](const std::string& wanted) {
    return std::any_of(labels.begin(), labels.end(), [&](const label_snapshot& each) { return each.name == wanted; });
  };
  std::string other = name;
  for (std::size_t number = labels.size() + 1; taken(other); ++number) other = fmt::format("{}#{}", name, number);
  return other;
}

}  // namespace

// One reading, which copies sections out of the file piece by piece.
class counters_file::content {
 public:
  explicit content(counters_file& file) : file_(file), header_(checked_header()) {}

  counters_snapshot snapshot(reading_budget& budget);
  bool has_lock() const { return header_.locked != 0; }
  // A process that was restored from a checkpoint (CRIU) runs in another time namespace than the one that it has noted.
  void ask_holder();

 private:
  header checked_header() const;
  // Fills `into`. Returns false if the file ends before that.
  bool copy(std::uint64_t offset, void* into, std::size_t bytes) const;
  // Valid until the next call.
  words words_at(std::uint64_t offset, std::size_t count);
  void add_what_was_said(counters_snapshot& snapshot) const;
  void add_threads(counters_snapshot& snapshot);
  histograms_by_cause histograms_at(std::uint64_t offset);
  label_snapshot label_at(std::uint64_t offset, const std::vector<label_snapshot>& others);

  counters_file& file_;
  header header_;
};

bool counters_file::content::copy(std::uint64_t offset, void* into, std::size_t bytes) const {
  auto* to = static_cast<char*>(into);
  while (bytes != 0) {
    const ssize_t got = ::pread(file_.descriptor_, to, bytes, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw input_error(fmt::format("{}: cannot be read: {}", file_.path_, std::strerror(errno)));
    if (got == 0) return false;
    to += got;
    offset += static_cast<std::uint64_t>(got);
    bytes -= static_cast<std::size_t>(got);
  }
  return true;
}

header counters_file::content::checked_header() const {
  // While a label is being added, the words of the file may become visible in any order. Values that cannot be are read
  // again.
  for (int tries = 3;; --tries) {
    header seen = {};
    struct stat status = {};
    constexpr std::size_t least = counters_layout::least_header_bytes;
    if (!copy(0, &seen, least)) {
      throw input_error(
          fmt::format("{}: not a counters file of an engine: it is shorter than the header", file_.path_));
    }
    // If the file ends here, the check below finds that it is cut.
    static_cast<void>(copy(least, reinterpret_cast<char*>(&seen) + least, sizeof seen - least));
    if (::fstat(file_.descriptor_, &status) != 0) {
      throw input_error(fmt::format("{}: {}", file_.path_, std::strerror(errno)));
    }
    try {
      clear_missing_fields(seen);
      check_header(seen, static_cast<std::uint64_t>(status.st_size), file_.path_);
      return seen;
    } catch (const input_error&) {
      if (tries == 1) throw;
    }
  }
}

words counters_file::content::words_at(std::uint64_t offset, std::size_t count) {
  std::vector<std::uint64_t>& buffer = file_.buffer_;
  buffer.resize(std::max(buffer.size(), count));
  if (!copy(offset, buffer.data(), count * sizeof buffer[0])) {
    throw input_error(fmt::format("{}: the file was cut while it was read", file_.path_));
  }
  return {buffer.data(), count};
}

histograms_by_cause counters_file::content::histograms_at(std::uint64_t offset) {
  histograms_by_cause histograms;
  // The whole is read last because it is recorded before its parts. So no part exceeds it.
  for (auto key = static_cast<std::uint64_t>(cause::count_); key-- != 0;) {
    histograms[static_cast<cause>(key)] =
        counters_histogram(words_at(offset + key * header_.histogram_stride, counters_layout::histogram_buckets + 2));
  }
  complete_parts(histograms);
  return histograms;
}

void counters_file::content::add_what_was_said(counters_snapshot& snapshot) const {
  const auto said_at = [this](std::size_t sequence_offset) {
    return said_in(header_, sequence_offset, [this](std::uint64_t offset, void* into, std::size_t bytes) {
      if (!copy(offset, into, bytes))
        throw input_error(fmt::format("{}: the file was cut while it was read", file_.path_));
    });
  };
  if (const auto error = said_at(offsetof(header, error_sequence))) {
    snapshot.last_error = error->text;
    snapshot.last_error_at = error->at;
  }
  if (const auto stall = said_at(offsetof(header, stall_sequence))) snapshot.stall = stall->text;
  if (!snapshot.stall.empty()) snapshot.stall_waiting = header_.stall_waiting;
}

void counters_file::content::add_threads(counters_snapshot& snapshot) {
  snapshot.threads = header_.threads_in_use;
  for (std::uint64_t thread = 0; thread < header_.threads_in_use; ++thread) {
    const words counts =
        words_at(header_.threads_offset + thread * header_.thread_stride, static_cast<std::size_t>(counter::count_));
    for_each_key<counter>([&](counter key) { snapshot.totals[key] += counts[static_cast<std::size_t>(key)]; });
  }
}

label_snapshot counters_file::content::label_at(std::uint64_t offset, const std::vector<label_snapshot>& others) {
  constexpr std::size_t name_words = counters_layout::label_name_bytes / 8;
  label_snapshot label;
  const words front = words_at(offset, counters_layout::label_histograms_offset / 8);
  const char* const name = reinterpret_cast<const char*>(front.data());
  if (std::memchr(name, '\0', counters_layout::label_name_bytes) == nullptr) {
    throw input_error(fmt::format("{}: label {}: field 'name': it does not end", file_.path_, others.size() + 1));
  }
  label.name = unlike(others, printable_name(name, counters_layout::label_name_bytes));
  for_each_key<label_counter>(
      [&](label_counter key) { label.counts[key] = front[name_words + static_cast<std::size_t>(key)]; });
  label.histograms = histograms_at(offset + counters_layout::label_histograms_offset);
  return label;
}

counters_snapshot counters_file::content::snapshot(reading_budget& budget) {
  counters_snapshot made;
  made.identity = identity_in(header_, file_.path_);
  made.ended = header_.state == static_cast<std::uint32_t>(counters_layout::file_state::ended);
  made.read_at = std::chrono::steady_clock::now().time_since_epoch().count();
  const words gauges = words_at(header_.gauges_offset, static_cast<std::size_t>(gauge::count_));
  for_each_key<gauge>(
      [&](gauge key) { made.gauges[key] = static_cast<std::int64_t>(gauges[static_cast<std::size_t>(key)]); });
  if (made.identity.clock != std::string_view("manual")) {
    for (const gauge time : {gauge::last_pass, gauge::next_deadline}) {
      const bool is_time = made.gauges[time] != 0 && made.gauges[time] != std::numeric_limits<std::int64_t>::max();
      if (is_time) made.gauges[time] = in_own_time(header_, made.gauges[time]);
    }
  }
  add_what_was_said(made);
  add_threads(made);
  made.histograms = histograms_at(header_.histograms_offset);
  take(budget.engines, least_engine_bytes + bytes_of(made.histograms));
  for (std::uint64_t i = 0; i < header_.labels_in_use; ++i) {
    if (budget.labels == 0) {
      made.labels_left_out = static_cast<std::uint32_t>(header_.labels_in_use - i);
      break;
    }
    made.labels.push_back(label_at(header_.labels_offset + i * header_.label_stride, made.labels));
    take(budget.labels, least_label_bytes + bytes_of(made.labels.back().histograms));
  }
  return made;
}

counters_file::counters_file(const std::string& path, path_origin origin) : path_(printable(path)), descriptor_(-1) {
  const auto refuse = [this](const std::string& trouble) {
    if (descriptor_ >= 0) ::close(descriptor_);
    throw input_error(fmt::format("{}: {}", path_, trouble));
  };
  // O_NONBLOCK, because open() would wait for ever for the writer of a pipe that has none.
  const int follow = origin == path_origin::found ? O_NOFOLLOW : 0;
  descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | follow);
  if (descriptor_ < 0 && errno == ELOOP && follow != 0)
    refuse("not a counters file of an engine: it is a symbolic link");
  if (descriptor_ < 0 && (errno == EACCES || errno == EPERM))
    throw secret_file(fmt::format("{}: cannot be opened: {}", path_, std::strerror(errno)));
  if (descriptor_ < 0) refuse(fmt::format("cannot be opened: {}", std::strerror(errno)));
  struct stat status = {};
  if (::fstat(descriptor_, &status) != 0) refuse(std::strerror(errno));
  if (!S_ISREG(status.st_mode)) refuse("not a counters file of an engine: it is not a regular file");
  try {
    static_cast<void>(content(*this));
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

counters_file::counters_file(counters_file&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      buffer_(std::move(other.buffer_)) {}

counters_file& counters_file::operator=(counters_file&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(buffer_, other.buffer_);
  return *this;
}

counters_file::~counters_file() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void counters_file::content::ask_holder() {
  struct stat status = {};
  if (::fstat(file_.descriptor_, &status) != 0) return;
  const auto holder = lock_holder(status);
  const auto offsets = holder ? host_files().read(fmt::format("/proc/{}/timens_offsets", *holder)) : std::nullopt;
  name_spaces spaces{.monotonic_offset = header_.monotonic_offset};
  read_time_offsets(offsets.value_or(""), spaces);
  header_.monotonic_offset = spaces.monotonic_offset;
}

engine_lock counters_file::lock() const {
  if (::flock(descriptor_, LOCK_SH | LOCK_NB) == 0) {
    ::flock(descriptor_, LOCK_UN);
    return engine_lock::free;
  }
  return errno == EWOULDBLOCK ? engine_lock::held : engine_lock::none;
}

counters_snapshot counters_file::read(reading_budget& budget) {
  // The lock is read first, because an engine says that it ends before it releases the lock.
  const engine_lock found = lock();
  content now(*this);
  if (found == engine_lock::held) now.ask_holder();
  counters_snapshot made = now.snapshot(budget);
  // If the engine never had a lock on its file, a free lock says nothing.
  made.lock = found == engine_lock::free && !now.has_lock() ? engine_lock::none : found;
  return made;
}

counters_snapshot counters_file::read() {
  reading_budget all;
  return read(all);
}

}  // namespace detent::tool
