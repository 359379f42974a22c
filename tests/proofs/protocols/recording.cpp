// SPDX-License-Identifier: MIT
// A recorder, as it is, with what reports operations to it and the thread that writes them. The file and its rows are
// the scenario's, and so is the thread; time stands still, so nothing but a ring wakes the writer.
#include "scenario.hpp"

#include <detent/time.hpp>

#include <array>
#include <atomic>
#include <csignal>
#include <memory>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace model {

// The recorder's thread, of the machine.
class writer_thread {
 public:
  writer_thread() = default;
  template <class F>
  explicit writer_thread(F&& work) : ended_(&create<atomic<std::uint32_t>>("end of the writer", 0u)) {
    auto* mine = new auto(std::forward<F>(work));  // it cannot be copied
    machine::instance().start("writer", [mine, ended = ended_] {
      (*mine)();
      delete mine;
      ended->store(1, order::release);  // pairs with join()
      machine::instance().futex_wake(ended, 1, site::here());
    });
  }
  writer_thread(writer_thread&& other) noexcept : ended_(std::exchange(other.ended_, nullptr)) {}
  writer_thread& operator=(writer_thread&& other) noexcept {
    ended_ = std::exchange(other.ended_, nullptr);
    return *this;
  }

  bool joinable() const { return ended_ != nullptr; }
  void join() {
    while (ended_->load(order::acquire) == 0) machine::instance().futex_wait(ended_, 0, INT64_MAX, site::here());
    destroy(*std::exchange(ended_, nullptr));
  }

 private:
  atomic<std::uint32_t>* ended_ = nullptr;
};

bool waits_for_a_place();

}  // namespace model

// Found before the real ones by what recorder.cpp calls.
namespace detent::detail {
struct clock {
  static time_point now() noexcept { return {}; }
};
namespace std {
using namespace ::std;
using thread = model::writer_thread;
namespace this_thread {
inline void sleep_for(duration);
}  // namespace this_thread
}  // namespace std
}  // namespace detent::detail

// Compiled against the explorer, and with a mutant's fault in it.
#include "recorder.cpp"

// Only the thread that fills the next place, or whose attempt found none, can end the wait for it; it may have done so
// since the writer checked.
inline void detent::detail::std::this_thread::sleep_for(duration) {
  if (model::waits_for_a_place()) base::cpu_pause();
}

// The ring's places: of the machine's memory, as the recorder itself is.
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return model::machine::instance().allocate(bytes, static_cast<std::size_t>(alignment), "ring");
}
void operator delete[](void* memory, std::align_val_t) noexcept { model::machine::instance().free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
  model::machine::instance().free(memory);
}

namespace model {
namespace {

using detent::detail::clock_reader;
using detent::detail::operation;
using detent::detail::operation_kind;
using detent::detail::recorder;

// The text that was written to the file. Outside the model's memory, because only the writer has it until it has ended.
struct written {
  recorder* from = nullptr;
  std::vector<operation> rows;
  std::uint64_t lost = 0;  // as the rows show
  unsigned closed = 0;
};
written file;

}  // namespace

bool waits_for_a_place() {
  // Each by its last load, which is of what ends the wait.
  if (file.from->without_place_.load(detent::base::acquire) != 0) return true;
  return file.from->ring_.size() != 0 && file.from->ring_.front() == nullptr;
}

}  // namespace model

// The rows and the file, of which the real ones are not linked.
namespace detent::detail {
void trace_writer::add(const operation& what, std::uint64_t lost) noexcept {
  model::file.rows.push_back(what);
  model::file.lost += lost;
  model::require(model::file.lost <= model::file.from->dropped(), "told of a loss that is not counted");
}
void trace_writer::flush() noexcept {}
void trace_writer::give_up() noexcept {}
errc trace_file::open(const ::std::string&, const ::std::string&, ::std::string&) { return errc{}; }
errc trace_file::refuse(int, const ::std::string&, ::std::string&) { return errc{}; }
errc trace_file::begin(::std::string&) { return errc{}; }
void trace_file::close(std::uint64_t) noexcept { ++model::file.closed; }
gzip_packer::~gzip_packer() = default;
errc code_of(int) noexcept { return errc::limit_reached; }
::std::string explain(int) { return {}; }
void name_this_thread(const ::std::string&) noexcept {}
}  // namespace detent::detail

namespace model {
namespace {

const clock_reader no_clock{nullptr, nullptr};
// The room of the shortest ring.
constexpr std::size_t room = 2;

recorder& make_recorder(execution& run) {
  file = {};
  auto& made = run.make<recorder>("recorder", no_clock, room);
  file.from = &made;
  std::string why;
  require(made.open("", "", why) == detent::errc{}, "opens");
  return made;
}

void tell(recorder& to, std::uint32_t index) { to.ended(operation_kind::fire, index, 1, index); }

// Returns the rows of one thread, in its order, each as it was reported.
unsigned rows_of(std::uint32_t first, std::uint32_t end) {
  unsigned count = 0;
  std::int64_t last = -1;
  for (const operation& each : file.rows) {
    const auto index = static_cast<std::uint32_t>(each.id);
    if (index < first || index >= end) continue;
    require(each.at == index && each.kind == operation_kind::fire, "half an operation");
    require(each.at > last, "a thread's operations out of their order");
    last = each.at;
    ++count;
  }
  return count;
}

// An operation that a thread has reported before it closes is written or counted as lost.
void told_before_the_close(execution& run) {
  recorder& shared = make_recorder(run);
  run.thread("tells", [&] {
    for (std::uint32_t i = 1; i != 4; ++i) tell(shared, i);
    shared.close();
    require(file.closed == 1, "closed when the call returns");
    if (shared.dropped() != 0) reach("lost");
    require(rows_of(1, 4) + shared.dropped() == 3, "neither written nor counted");
  });
  run.join();
}

// Does the same while another thread continues to report. Its last operations may be lost without being counted.
void another_tells_on(execution& run) {
  recorder& shared = make_recorder(run);
  run.thread("tells", [&] {
    tell(shared, 1);
    shared.close();
  });
  run.thread("tells on", [&] { tell(shared, 11); });
  run.join();
  const unsigned mine = rows_of(1, 2), others = rows_of(11, 12);
  require(mine + others + shared.dropped() <= 2, "written and lost");
  require(mine == 1, "told before the close, and not written");
  reach(others == 1 ? "both" : "one");
}

// An empty place holds back what is behind it, and no longer than until it is filled: also at the end.
void a_place_that_is_filled_late(execution& run) {
  recorder& shared = make_recorder(run);
  run.thread("tells", [&] {
    tell(shared, 1);
    shared.close();
    require(rows_of(1, 2) == 1, "told before the close, and not written");
  });
  run.thread("arms", [&] {
    detent::detail::recorded_attempt attempt(&shared, [] { return operation{.id = 11, .kind = operation_kind::fire}; });
    attempt.took_effect();
  });
  run.join();
  if (file.rows.size() == 2) reach("both");
}

// A thread that finds room again reports what others have lost, which they have counted by then.
void losses_are_counted_before_they_are_told(execution& run) {
  recorder& shared = make_recorder(run);
  run.thread("loses", [&] { tell(shared, 11); });
  run.thread("tells", [&] {
    for (std::uint32_t i = 1; i != 4; ++i) tell(shared, i);
    shared.close();
  });
  run.join();
  if (file.lost != 0) reach("told");
}

// No check now and then: each ring is heard.
void all_rings_are_heard(execution& run) {
  recorder& shared = make_recorder(run);
  run.thread("tells", [&] {
    for (std::uint32_t i = 1; i != 3; ++i) {
      tell(shared, i);
      while (file.rows.size() != i) detent::base::cpu_pause();
    }
    shared.close();
  });
  run.join();
}

const bounds small = {.preemptions = 2, .weak = {.stale = 1}};

const suite recording(
    "Recording", {
                     {"ToldBeforeTheClose", told_before_the_close, small, {"lost"}},
                     {"AnotherTellsOn", another_tells_on, small, {"both", "one"}},
                     {"APlaceThatIsFilledLate", a_place_that_is_filled_late, small, {"both"}},
                     {"LossesAreCountedBeforeTheyAreTold", losses_are_counted_before_they_are_told, small, {"told"}},
                     {"AllRingsAreHeard", all_rings_are_heard, small},
                 });

}  // namespace
}  // namespace model
