// SPDX-License-Identifier: MIT
// Runs whose thread ends in the callback.
#include <detent/base/compiler.hpp>
#include <detent/base/forced_unwind.hpp>

#include "callers/run_steps.hpp"

namespace detent::detail {

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
