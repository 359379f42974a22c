// SPDX-License-Identifier: MIT
#pragma once

#include "../stores/clocks.hpp"
#include "registry.hpp"

#include <detent/durable.hpp>
#include <detent/durable_store.hpp>

namespace detent::durable::detail {

// Decides what becomes of a timer whose run is over: it ends, runs again, or is dead. Any thread may use it.
class verdicts {
 public:
  verdicts(const registry& known, const clocks& by) : known_(known), clock_(by) {}

  end_request on(const record& ran, const term_ref& under, const handler_options& by, const outcome& how) const;
  // The end of a run that a transaction may have ended already. It applies only if none has: then the record is
  // unchanged since the run, and the run counts as failed.
  end_request unless_ended(const record& ran, const term_ref& under, const handler_options& by,
                           const outcome& how) const;
  // The next time of the record's schedule after this run; empty if it has no schedule or the schedule is over. Throws
  // what schedule::next() throws.
  std::optional<stored_time> next_of(const record& ran) const;

 private:
  stored_time after(duration delay) const;
  void repeat(const record& ran, end_request& end) const;
  void come_again(const outcome& how, end_request& end) const;
  void fail(const record& ran, const handler_options& by, const outcome& how, end_request& end) const;
  stored_time after_failure(std::uint32_t attempt, const handler_options& by,
                            const std::optional<duration>& delay) const;

  const registry& known_;
  const clocks& clock_;
};

}  // namespace detent::durable::detail
