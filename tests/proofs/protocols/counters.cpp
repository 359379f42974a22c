// SPDX-License-Identifier: MIT
// What is counted, and read by others at the same time: a reader that sees the end of a timer sees its beginning, and a
// process that reads the file finds a label's block whole. The file's memory is the scenario's.
#include "scenario.hpp"

#include <detent/counters_layout.hpp>
#include <detent/options.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

// Compiled against the explorer, and with a mutant's fault in it.
#include "counters/counters_block.cpp"
#include "counters/last_error.cpp"

namespace model {
namespace {

// As much of each piece as is read: what another process maps, too.
constexpr std::size_t most_bytes = 1024;
std::byte* header_memory = nullptr;
std::byte* label_memory = nullptr;

}  // namespace
}  // namespace model

// The real ones are not linked.
namespace detent::detail {
counters_memory::~counters_memory() {
  for (std::size_t i = 0; i != count_; ++i) model::machine::instance().free(pieces_[i].at);
}
std::byte* counters_memory::map(std::size_t offset, std::size_t bytes) noexcept {
  void* const made = model::machine::instance().allocate(std::min(bytes, model::most_bytes), 64, "piece");
  pieces_[count_++] = {static_cast<std::byte*>(made), offset, bytes};
  (offset == 0 ? model::header_memory : model::label_memory) = static_cast<std::byte*>(made);
  return static_cast<std::byte*>(made);
}
std::unique_ptr<counters_memory> make_counters_file(const std::string&) {
  struct file final : counters_memory {
    file() { file_ = 0; }
  };
  return std::make_unique<file>();
}
}  // namespace detent::detail

namespace model {
namespace {

using detent::counters_layout::counter;
using detent::counters_layout::header;
using detent::counters_layout::label_counter;
using detent::detail::counter_cell;
using detent::detail::counters;
using detent::detail::counters_block;
using detent::detail::label_block;

constexpr unsigned timers = 2;

// A thread's cells, of which two counters are used.
struct cells_of_a_thread {
  counter_cell cells[3];
};

struct threads_and_driver {
  cells_of_a_thread thread, driver;
  atomic<unsigned> scheduled{0};  // what the thread has handed to the driver

  counters of_thread() { return counters(thread.cells); }
  counters of_driver() { return counters(driver.cells); }
};

// `begin` and `end` count a timer's; `read` is what a third reads meanwhile.
template <class Begin, class End, class Read>
void count_beside_a_reader(execution& run, atomic<unsigned>& scheduled, Begin begin, End end, Read read) {
  run.thread("schedules", [&scheduled, begin] {
    for (unsigned i = 1; i <= timers; ++i) {
      begin();
      scheduled.store(i, order::release);
    }
  });
  run.thread("drives", [&scheduled, end] {
    const unsigned found = scheduled.load(order::acquire);
    for (unsigned i = 0; i != found; ++i) end();
  });
  run.thread("reads", read);
  run.join();
}

void ends_bring_their_beginnings(execution& run) {
  auto& shared = run.make<threads_and_driver>("counts");
  count_beside_a_reader(
      run, shared.scheduled, [&] { shared.of_thread().add(counter::scheduled); },
      [&] { shared.of_driver().add(counter::started_last); },
      [&] {
        const std::uint64_t ends = shared.of_driver().read(counter::started_last);
        const std::uint64_t beginnings = shared.of_thread().read(counter::scheduled);
        require(beginnings >= ends, "ended before it has begun");
        if (ends != 0) reach("an end");
      });
}

// A label's block up to its histograms.
struct block_of_a_label {
  alignas(64) std::byte memory[detent::counters_layout::label_histograms_offset];
  atomic<unsigned> scheduled{0};
  label_block& block() { return reinterpret_cast<label_block&>(memory); }
};

void ends_of_a_label_bring_their_beginnings(execution& run) {
  auto& shared = run.make<block_of_a_label>("label");
  count_beside_a_reader(
      run, shared.scheduled, [&] { shared.block().add(label_counter::begun); },
      [&] { shared.block().add(label_counter::over); },
      [&] {
        const std::uint64_t pending = shared.block().pending();
        require(pending <= timers, "fewer pending than none");
        reach(pending == 0 ? "none" : "some");
      });
}

// A field as another process reads it.
template <class T>
T reported(const T& field) {
  return reinterpret_cast<const atomic<T>&>(field).load(order::acquire);
}

// Never destroyed: an executor would be counted by the standard library's atomics, which the machine does not know.
const detent::engine_options& options_with_a_file() {
  alignas(detent::engine_options) static std::byte memory[sizeof(detent::engine_options)];
  auto* const made = new (memory) detent::engine_options;
  made->counters_file = "a file";
  return *made;
}

void a_label_in_the_file(execution& run) {
  auto& shared = run.make<counters_block>("block", options_with_a_file());
  run.thread("makes", [&] { require(shared.add_label("x") != nullptr, "no label"); });
  run.thread("reads", [&] {
    const header& h = *reinterpret_cast<const header*>(header_memory);
    if (reported(h.labels_in_use) == 0) return reach("none");
    require(reported(h.file_bytes) == std::uint64_t{h.labels_offset} + h.label_stride, "a label behind the end");
    require(reinterpret_cast<const label_block*>(label_memory)->name[0] == 'x', "a label without its name");
    reach("one");
  });
  run.join();
}

struct error_and_writers {
  detent::detail::last_error error;
};

// Two write, and one reads: whose text it is, it is whole, and no text replaces a later one of the same writer.
void a_last_error_is_whole(execution& run) {
  auto& shared = run.make<error_and_writers>("error");
  run.thread("writes a", [&] {
    shared.error.write("aaaaaaaaa", 1);
    shared.error.write("AAAAAAAAA", 2);
  });
  run.thread("writes b", [&] { shared.error.write("bbbbbbbbb", 3); });
  run.thread("reads", [&] {
    const detent::error_report found = shared.error.read(1);
    if (found.text.empty()) return reach("none");
    const char first = found.text.front();
    require(found.text == std::string(9, first), "parts of two texts");
    require(found.at.time_since_epoch().count() == (first == 'a' ? 1 : first == 'A' ? 2 : 3), "the time of another");
    reach(first == 'b' ? "the one's" : "the other's");
  });
  run.join();
}

const suite counters_suite(
    "Counters", {
                    {"EndsBringTheirBeginnings", ends_bring_their_beginnings, {}, {"an end"}},
                    {"EndsOfALabelBringTheirBeginnings", ends_of_a_label_bring_their_beginnings, {}, {"none", "some"}},
                    {"ALabelInTheFile", a_label_in_the_file, {}, {"none", "one"}},
                    {"ALastErrorIsWhole", a_last_error_is_whole, {}, {"none", "the one's", "the other's"}},
                });

}  // namespace
}  // namespace model
