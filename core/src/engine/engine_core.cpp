// SPDX-License-Identifier: MIT
#include "engine/engine_core.hpp"

#include <detent/detail/stoppable.hpp>

#include "engine/live_cores.hpp"
#include "engine/options_check.hpp"

#include <bit>

namespace detent::detail {
namespace {

// So many go to the executor in one call.
constexpr std::size_t dispatch_batch = 64;

// A thread's cache holds up to two magazines that nobody else can take from: some for the first few threads.
std::size_t nodes_ahead(std::size_t reserve) noexcept {
  return reserve == 0 ? 0 : reserve + 8 * std::size_t{node_pool::magazine_capacity};
}

}  // namespace

engine_core::engine_core(engine_options options)
    : options_(std::move(options)),
      executor_(std::move(options_.executor)),
      runs_inline_(executor_ == nullptr),
      ticks_(options_.tick.count()),
      time_(options_.manual, options_.clock == clock_kind::tsc ? tsc_clock::shared() : nullptr),
      captures_origin_(options_.capture_origin),
      pages_(options_.memory),
      pool_(pages_, nodes_ahead(options_.reserve), captures_origin_ ? bytes_with_origin : sizeof(cold_node)),
      queue_(options_.reserve),
      counts_(options_),
      labels_(counts_),
      threads_(*this),
      groups_(options_.reserve),
      nodes_{&pool_, ticks_},
      wheel_(nodes_, ticks_, time_.now(), options_.wheel == wheel_kind::hashed, std::bit_ceil(options_.hashed_slots)),
      due_(options_.reserve),
      retries_(!runs_inline_ && options_.on_refusal == refusal_policy::retry ? options_.reserve : 0),
      waiter_(options_.wait, options_.tick.count(), time_, bell_),
      rehearsal_(runs_inline_ && options_.wait.mode != wait_options::kind::sleep &&
                 options_.wait.max_spin.count() > rehearsal::ahead),
      set_aside_(options_.reserve),
      ledger_(counts_, runs_inline_) {
  if (!runs_inline_) batch_to_run_.reserve(dispatch_batch);
  // The short ways tell ThreadSanitizer nothing.
  if (options_.capacity == 0 && options_.record.empty() && !captures_origin_ && !base::is_watched_from_outside())
    threads_.open_shortcuts(options_.tick.count() == 1 ? shortcuts::exact_ticks : shortcuts::some);
  // A caller that never asks for the wake_fd sleeps by its own means: nobody has to ring.
  if (options_.drive == drive_kind::caller) bell_.lower(INT64_MIN);
}

engine_core::~engine_core() = default;

errc engine_core::open(std::string& why) {
  alloc::page_source::problem problem = pages_.check();
  if (problem != alloc::page_source::problem::none) {
    why = pages_.explain(problem);
    return problem == alloc::page_source::problem::no_memory ? errc::out_of_memory : errc::invalid_option;
  }
  if (errc unusable = counts_.check(why); unusable != errc{}) return unusable;
  if (!pool_.ready() || !threads_.ready()) {
    why = "reserve = " + std::to_string(options_.reserve) + ": no memory for so many timers ahead";
    return errc::out_of_memory;
  }
  if (!live_cores::watch_forks()) {
    why = "no memory to be told of forks";
    return errc::out_of_memory;
  }
  if (errc unusable = recorder::make(recorder_, time_, options_, why); unusable != errc{}) return unusable;
  if (options_.drive == drive_kind::worker) {
    // A worker that spins raises the wake time all the time.
    if (options_.wait.mode != wait_options::kind::busy) bell_.allow_asymmetric(base::enable_heavy_fence());
    errc started = start_worker(why);
    if (started != errc{}) return started;
  }
  errc refused{};
  try {
    if (recorder_ != nullptr) refused = recorder_->begin(why);
    if (refused == errc{}) refused = counts_.publish(why);
  } catch (const std::bad_alloc&) {
    refused = errc::out_of_memory;
  }
  if (refused != errc{}) {
    stop(nullptr);  // the worker runs
    return refused;
  }
  live_cores::add(*this);
  return errc{};
}

void engine_core::add_reference() noexcept {
  references_.fetch_add(1, base::relaxed);  // relaxed: whoever adds one holds one already
}

void engine_core::drop_reference() noexcept {
  // (1) acq_rel: pairs with itself, so that the last one sees all that the others did.
  base::show_release(&references_);
  if (references_.fetch_sub(1, base::acq_rel) != 1) return;
  base::show_acquire(&references_);
  delete this;
}

void add_reference(engine_core& core) noexcept { core.add_reference(); }
void drop_reference(engine_core& core) noexcept { core.drop_reference(); }

}  // namespace detent::detail
