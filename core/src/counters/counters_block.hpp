// SPDX-License-Identifier: MIT
// An engine's counts and histograms, in the layout that other processes read.
#pragma once

#include <detent/base/atomic.hpp>
#include <detent/base/compiler.hpp>
#include <detent/counters_layout.hpp>
#include <detent/error.hpp>
#include <detent/executor.hpp>
#include <detent/options.hpp>

#include "counters/counters_memory.hpp"
#include "counters/histogram_recorder.hpp"
#include "counters/last_error.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace detent::detail {

using counters_layout::cause;
using counters_layout::counter;
using counters_layout::gauge;
using counters_layout::label_counter;

using counter_cell = base::atomic<std::uint64_t>;

// One writer, any reader.
class counters {
 public:
  explicit counters(counter_cell* cells) noexcept : cells_(cells) {}
  void add(counter which, std::uint64_t amount = 1) noexcept {
    // (1) release: pairs with (2): a reader that sees a timer's end also sees its beginning.
    base::add_alone(cells_[static_cast<std::size_t>(which)], amount);
  }
  // Takes back a count that was added in advance.
  void take_back(counter which, std::uint64_t amount = 1) noexcept { add(which, 0 - amount); }
  std::uint64_t read(counter which) const noexcept {
    return cells_[static_cast<std::size_t>(which)].load(base::acquire);  // (2) acquire: pairs with (1)
  }
  // Fetches them.
  void warm_up() const noexcept {
    for (std::size_t i = 0; i < static_cast<std::size_t>(counter::count_); i += 8) base::prefetch_to_write(&cells_[i]);
  }

 private:
  counter_cell* cells_;
};

// The counts that are kept for a label. Zeroed memory is a block without a name.
struct label_block {
  char name[counters_layout::label_name_bytes];
  std::array<counter_cell, (counters_layout::label_histograms_offset - sizeof(name)) / sizeof(counter_cell)> cells;
  std::array<histogram_recorder, static_cast<std::size_t>(cause::count_)> histograms;

  void add(label_counter which, std::uint64_t amount = 1) noexcept {
    // (3) release: pairs with (4): a reader that sees a timer's end also sees its beginning.
    cells[static_cast<std::size_t>(which)].fetch_add(amount, base::release);
  }
  // Takes back a count that was added in advance.
  void take_back(label_counter which) noexcept { add(which, ~std::uint64_t{0}); }
  std::uint64_t read(label_counter which) const noexcept {
    return cells[static_cast<std::size_t>(which)].load(base::acquire);  // (4) acquire: pairs with (3)
  }
  // Ends are read before beginnings: what is over has begun.
  std::uint64_t pending() const noexcept {
    const std::uint64_t over = read(label_counter::over);
    return read(label_counter::begun) - over;
  }
  // Used by the driver alone.
  void record_parts(lateness_parts parts) noexcept;
  histogram_recorder& operator[](cause which) noexcept { return histograms[static_cast<std::size_t>(which)]; }
  const histogram_recorder& operator[](cause which) const noexcept {
    return histograms[static_cast<std::size_t>(which)];
  }
};
static_assert(sizeof(histogram_recorder) == counters_layout::histogram_stride);
static_assert(offsetof(label_block, histograms) == counters_layout::label_histograms_offset);
static_assert(sizeof(label_block) <= counters_layout::label_stride);
static_assert(static_cast<std::size_t>(counter::count_) * sizeof(counter_cell) <= counters_layout::thread_stride);

class counters_block {
 public:
  // Throws bad_alloc; check() reports any other problem. Without a counters_file nothing is made by `make_file`.
  explicit counters_block(const engine_options& options, counters_file_maker make_file = make_counters_file);
  ~counters_block();
  counters_block(const counters_block&) = delete;
  counters_block& operator=(const counters_block&) = delete;
  // Why there is no such block, in words; errc{} if there is one.
  errc check(std::string& why) const;
  // Why the last call found no room: after a null, or after what publish() reports.
  errc refusal(std::string& why) const;
  // The arguments are as in counters_layout::header. To be called before publish().
  void name_clock(std::uint8_t clock, counters_layout::clock_reason why) noexcept;
  // Shows the complete file to other processes.
  errc publish(std::string& why);
  // The engine has ended.
  void end() noexcept;
  void disown() noexcept {
    memory_->make_private();
    watched_ = false;
  }

  // Returns whether there may be another reader.
  bool watched() const noexcept { return watched_; }
  // The counters of one more thread, which has them for as long as this exists; null: no memory. Any thread.
  counter_cell* take_cells() noexcept;
  // One for each cause; null: no memory.
  histogram_recorder* histograms() noexcept { return histograms_; }
  histogram_recorder& operator[](cause which) const noexcept { return histograms_[static_cast<std::size_t>(which)]; }
  // Used by the driver. Relaxed: each is a figure of its own.
  void set(gauge which, std::int64_t value) noexcept {
    gauges_[static_cast<std::size_t>(which)].store(static_cast<std::uint64_t>(value), base::relaxed);
  }
  // Counts a timer that was handed over and will not run. Any thread.
  void let_go() noexcept {
    // (5) release: pairs with (6): a reader that sees it let go also sees it handed over.
    gauges_[static_cast<std::size_t>(gauge::let_go)].fetch_add(1, base::release);
  }
  std::uint64_t read_let_go() const noexcept {
    return gauges_[static_cast<std::size_t>(gauge::let_go)].load(base::acquire);  // (6) acquire: pairs with (5)
  }
  void set_worker(std::int32_t thread) noexcept;
  // Stores an exception's text as the last one. Any thread.
  void note_error(const char* text) noexcept;
  error_report last_error_seen() const;
  // Stores why work of a library on top of the engine waits. One thread at a time.
  void note_stall(const char* text, std::uint64_t waiting) noexcept;
  // The block of the next label; null: no memory. One thread at a time.
  label_block* add_label(std::string_view name) noexcept;

 private:
  using header = counters_layout::header;
  // For a thread beyond those for which the layout has room.
  struct hidden_cells {
    std::array<counter_cell, counters_layout::thread_stride / sizeof(counter_cell)> cells{};
    hidden_cells* next = nullptr;
  };
  void describe(const engine_options& options) noexcept;

  const std::unique_ptr<counters_memory> memory_;
  bool watched_;
  header* header_ = nullptr;  // null: no memory
  counter_cell* gauges_ = nullptr;
  histogram_recorder* histograms_ = nullptr;
  std::byte* threads_ = nullptr;
  base::atomic<std::uint32_t> threads_asked_{0};
  base::atomic<hidden_cells*> hidden_{nullptr};
  std::uint32_t labels_ = 0;
};

}  // namespace detent::detail
