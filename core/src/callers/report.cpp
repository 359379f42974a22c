// SPDX-License-Identifier: MIT
// Calls on_error for a callback that threw and on_slow for one that took too long, and ends the program where a
// callback ended its thread.
#include <detent/base/compiler.hpp>
#include <detent/base/forced_unwind.hpp>

#include "callers/run_steps.hpp"

#include <cstdio>
#include <exception>
#include <new>
#include <string>

namespace detent::detail {
namespace {

// The callback, or the function of the program that was told of it.
enum class thrower : std::uint8_t { callback, on_slow, on_error };

const char* name_of(thrower which) noexcept {
  switch (which) {
    case thrower::on_slow: return "engine_options::on_slow";
    case thrower::on_error: return "engine_options::on_error";
    default: return "a callback";
  }
}

// ` (label "poison", tag 17, scheduled at game.cpp:14)`, as far as that is known. Throws bad_alloc.
std::string which_timer(const failed_callback& failed) {
  std::string found;
  const auto add = [&found](const std::string& part) { found += (found.empty() ? " (" : ", ") + part; };
  if (!failed.label.name().empty()) add("label \"" + std::string(failed.label.name()) + "\"");
  if (failed.tag != 0) add("tag " + std::to_string(failed.tag));
  if (failed.file != nullptr) add("scheduled at " + std::string(failed.file) + ":" + std::to_string(failed.line));
  return found.empty() ? found : found + ")";
}

// `text` is the exception's; null: it says nothing of itself.
DETENT_COLD void print(const engine_core& core, thrower which, const failed_callback& failed,
                       const char* text) noexcept {
  std::string timer;
  try {
    timer = which_timer(failed);
  } catch (const std::bad_alloc&) {  // without it the line is still worth having
  }
  const base::cancel_hold held;  // the run has yet to end
  std::fprintf(stderr, "detent: engine \"%s\": %s threw%s%s%s\n", core.options.name.c_str(), name_of(which),
               text != nullptr ? ": " : "", text != nullptr ? text : "", timer.c_str());
}

// The exception that is being handled becomes the last error.
DETENT_COLD void note(engine_core& core, thrower which, const failed_callback& failed, bool prints) noexcept {
  const auto note_text = [&](const char* text) {
    core.counts.note_error(text != nullptr ? text : "an exception that is not a std::exception");
    if (prints) print(core, which, failed, text);
  };
  try {
    throw;
  } catch (const std::exception& error) {
    note_text(error.what());
  } catch (...) {
    note_text(nullptr);
  }
}

// Inside the exception's handler, which `failed` does not have yet.
DETENT_COLD void report(engine_core& core, thrower which, failed_callback failed) noexcept {
  const engine_options& options = core.options;
  note(core, which, failed, !options.on_error);
  if (!options.on_error) return;
  failed.error = std::current_exception();
  try {
    base::kept_thread called({"engine", options.name.c_str(), "engine_options::on_error"});
    options.on_error(failed);
    called.returned();
  } catch (...) {
    note(core, thrower::on_error, failed, true);
  }
}

}  // namespace

void report_if_slow(engine_core& core, thread_record& mine, const slow_callback& ran) noexcept {
  if (ran.took < core.options.slow_threshold) return;
  mine.counts.add(counter::slow);
  if (!core.options.on_slow) return;
  try {
    base::kept_thread called({"engine", core.options.name.c_str(), "engine_options::on_slow"});
    core.options.on_slow(ran);
    called.returned();
  } catch (...) {
    report(core, thrower::on_slow, {ran.label, ran.tag, ran.deadline, ran.file, ran.line, {}});
  }
}

void report_failure(engine_core& core, thread_record& mine, label_block* label, origin where) noexcept {
  const firing& run = *run_scope::current();
  core.seen.failed(mine, label);
  report(core, thrower::callback,
         {core.labels.named(label), run.tag(), run.deadline(), where.file(), where.line(), {}});
}

void report_failure(engine_core& core, thread_record& mine, label_block* label) noexcept {
  report_failure(core, mine, label, origin::unknown());
}

void report_failure_after_end(engine_core& core, thread_record& mine) noexcept {
  core.seen.failed(mine, nullptr);
  report(core, thrower::callback, {});
}

DETENT_COLD void end_unwound(engine_core& core, thread_record& mine, node_index index, std::uint64_t word,
                             const run_scope& scope, nanoseconds_t started, nanoseconds_t late, arrival came,
                             const run_details& due) noexcept {
  const bool workers = core.options.drive != drive_kind::caller;
  if (workers || !core.runs_inline) {
    base::refuse_to_unwind({"engine", core.options.name.c_str(), "a callback"},
                           workers && core.runs_inline
                               ? "the engine has no other worker; let the callback return instead"
                               : "the thread belongs to an executor; let the callback return instead");
  }
  const nanoseconds_t now = core.time.after(started);
  core.seen.ran(index, word);
  core.ledger.start(due.unmet, late, came, due.label);
  core.ledger.end(started, now, due.label);
  finish_run(core, mine, index, word, scope, due);
  core.in.signal();  // for another thread that waits to poll: what this pass leaves may be due
}

}  // namespace detent::detail
