// SPDX-License-Identifier: MIT
#include "counters/counters_block.hpp"

#include <cstddef>
#include <cstring>
#include <limits>
#include <new>
#include <utility>

namespace detent::detail {
namespace {

template <class T>
T* view(std::byte* memory, std::size_t offset) noexcept {
  return reinterpret_cast<T*>(memory + offset);  // zeroed memory is what a new T of atomics is
}

// A field of the header that other processes may read at this moment.
template <class T>
base::atomic<T>& live(T& field) noexcept {
  static_assert(sizeof(base::atomic<T>) == sizeof(T));
  return reinterpret_cast<base::atomic<T>&>(field);
}

last_error& error_in(counters_layout::header& in) noexcept {
  return *view<last_error>(reinterpret_cast<std::byte*>(&in), offsetof(counters_layout::header, error_sequence));
}

// A line and when it was said, as an error is.
static_assert(offsetof(counters_layout::header, stall_waiting) - offsetof(counters_layout::header, stall_sequence) ==
              sizeof(last_error));
last_error& stall_in(counters_layout::header& in) noexcept {
  return *view<last_error>(reinterpret_cast<std::byte*>(&in), offsetof(counters_layout::header, stall_sequence));
}

// (1) release: for readers that acquire: what it announces is there.
template <class T>
void store_release(T& field, T value) noexcept {
  live(field).store(value, base::release);
}

}  // namespace

void label_block::record_parts(lateness_parts parts) noexcept {
  if (parts.drain != 0) (*this)[cause::drain].record_alone(parts.drain);
  if (parts.wait != 0) (*this)[cause::wait].record_alone(parts.wait);
  if (parts.worker != 0) (*this)[cause::worker].record_alone(parts.worker);
}

counters_block::counters_block(const engine_options& options, counters_file_maker make_file)
    : memory_(options.counters_file.empty() ? std::make_unique<counters_memory>() : make_file(options.counters_file)),
      watched_(memory_->is_file()) {
  std::byte* const memory = memory_->map(0, counters_layout::labels_offset);
  if (memory == nullptr) return;
  header_ = view<header>(memory, 0);
  gauges_ = view<counter_cell>(memory, counters_layout::gauges_offset);
  threads_ = memory + counters_layout::threads_offset;
  histograms_ = view<histogram_recorder>(memory, counters_layout::histograms_offset);
  if (watched()) describe(options);
}

counters_block::~counters_block() {
  // Relaxed: no other thread is left.
  for (hidden_cells* each = hidden_.load(base::relaxed); each != nullptr;) delete std::exchange(each, each->next);
}

errc counters_block::check(std::string& why) const { return header_ != nullptr ? errc{} : refusal(why); }

errc counters_block::refusal(std::string& why) const {
  const bool by_file = !memory_->problem().empty();
  why = by_file ? memory_->problem() : "no memory for the counters";
  return by_file ? memory_->code() : errc::out_of_memory;
}

void counters_block::describe(const engine_options& options) noexcept {
  header& h = *header_;
  std::memcpy(h.magic, counters_layout::magic, sizeof(h.magic));
  h.version = counters_layout::version;
  h.header_bytes = sizeof(header);
  h.file_bytes = counters_layout::labels_offset;
  h.made_at = to_ns(clock::now());
  options.name.copy(h.name, sizeof(h.name) - 1);
  options.instance.copy(h.instance, sizeof(h.instance) - 1);
  h.tick = options.tick.count();
  h.max_spin = options.wait.mode == wait_options::kind::hybrid ? options.wait.max_spin.count() : 0;
  h.capacity = options.max_pending;
  h.wheel = static_cast<std::uint8_t>(options.wheel);
  h.wait = static_cast<std::uint8_t>(options.wait.mode);
  h.drive = static_cast<std::uint8_t>(options.drive);
  h.gauges_offset = counters_layout::gauges_offset;
  h.gauge_count = static_cast<std::uint32_t>(gauge::count_);
  h.threads_offset = counters_layout::threads_offset;
  h.thread_stride = counters_layout::thread_stride;
  h.thread_capacity = counters_layout::thread_capacity;
  h.counter_count = static_cast<std::uint32_t>(counter::count_);
  h.histograms_offset = counters_layout::histograms_offset;
  h.histogram_stride = counters_layout::histogram_stride;
  h.histogram_count = static_cast<std::uint32_t>(cause::count_);
  h.histogram_buckets = counters_layout::histogram_buckets;
  h.histogram_sub_bits = counters_layout::histogram_sub_bits;
  h.labels_offset = counters_layout::labels_offset;
  h.label_stride = counters_layout::label_stride;
  h.label_capacity = counters_layout::label_capacity;
  h.set = options.shard.set;
  h.shard = options.shard.index;
  h.shards = options.shard.shards;
  memory_->describe(h);
}

void counters_block::name_clock(std::uint8_t clock, counters_layout::clock_reason why) noexcept {
  if (header_ == nullptr || !watched()) return;  // check() reports that there is none
  header_->clock = clock;
  header_->clock_reason = static_cast<std::uint8_t>(why);
}

errc counters_block::publish(std::string& why) {
  if (!watched()) return errc{};
  set(gauge::next_deadline, std::numeric_limits<std::int64_t>::max());  // until the first pass, none is known
  store_release(header_->state, static_cast<std::uint32_t>(counters_layout::file_state::live));
  return memory_->publish() ? errc{} : refusal(why);
}

void counters_block::end() noexcept {
  if (!watched()) return;
  store_release(header_->state, static_cast<std::uint32_t>(counters_layout::file_state::ended));
  memory_->withdraw();
}

void counters_block::set_worker(std::int32_t thread) noexcept {
  store_release(header_->worker_thread, static_cast<std::uint32_t>(thread));
}

void counters_block::note_error(const char* text) noexcept { error_in(*header_).write(text, to_ns(clock::now())); }

void counters_block::note_stall(const char* text, std::uint64_t waiting) noexcept {
  live(header_->stall_waiting).store(waiting, base::relaxed);  // relaxed: a figure of its own
  stall_in(*header_).write(text, to_ns(clock::now()));
}

error_report counters_block::last_error_seen() const { return error_in(*header_).read(); }

counter_cell* counters_block::take_cells() noexcept {
  if (header_ == nullptr) return nullptr;
  const std::uint32_t number = threads_asked_.fetch_add(1, base::relaxed);  // relaxed: must only be unique
  if (number < counters_layout::thread_capacity) {
    live(header_->threads_in_use).fetch_add(1, base::relaxed);  // relaxed: cells that are not in use yet hold zeros
    return view<counter_cell>(threads_, std::size_t{number} * counters_layout::thread_stride);
  }
  auto* made = new (std::nothrow) hidden_cells;
  if (made == nullptr) return nullptr;
  // Relaxed: a count of its own.
  gauges_[static_cast<std::size_t>(gauge::hidden_threads)].fetch_add(1, base::relaxed);
  made->next = hidden_.load(base::relaxed);  // relaxed: the exchange below confirms it
  // Relaxed, both: only the destructor follows it, which comes after all calls.
  while (!hidden_.compare_exchange_weak(made->next, made, base::relaxed, base::relaxed)) {
  }
  return made->cells.data();
}

label_block* counters_block::add_label(std::string_view name) noexcept {
  const std::size_t offset = counters_layout::labels_offset + std::size_t{labels_} * counters_layout::label_stride;
  std::byte* const memory = memory_->map(offset, counters_layout::label_stride);
  if (memory == nullptr) return nullptr;
  auto* made = view<label_block>(memory, 0);
  name.copy(made->name, sizeof(made->name) - 1);
  ++labels_;
  if (watched()) {
    store_release(header_->file_bytes, std::uint64_t{offset + counters_layout::label_stride});
    store_release(header_->labels_in_use, labels_);
  }
  return made;
}

}  // namespace detent::detail
