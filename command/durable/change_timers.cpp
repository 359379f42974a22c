// SPDX-License-Identifier: MIT
#include "durable/change_timers.hpp"

#include <detent/durable_store.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "cron/zoned_time.hpp"
#include "durable/change_run.hpp"
#include "durable/consent.hpp"
#include "durable/timer_query.hpp"
#include "durable/timer_words.hpp"
#include "text/input_error.hpp"
#include "text/json_object.hpp"
#include "text/option_values.hpp"
#include "text/printable_text.hpp"
#include "text/units.hpp"

namespace detent::tool {
namespace {

using namespace durable;
using action = durable_options::action;

// A timer that is to be changed.
struct subject {
  shard_id shard = 0;
  std::string key = {};
  stored_time due{};
};

// All timers that are to be changed, as they were found.
struct subjects {
  std::vector<subject> each = {};
  stored_time last_death = stored_time::min();  // the last death among dead ones
  std::string words = {};                       // such as "3 timers with handler 'x'"
  std::optional<record> one = {};               // the timer, if a key named it
};

struct verbs {
  std::string_view todo, done;
  timer_state state;  // their state
};

verbs verbs_of(action what) {
  switch (what) {
    case action::cancel: return {"cancel", "cancelled", timer_state::any};
    case action::revive: return {"revive", "revived", timer_state::dead};
    case action::purge: return {"purge", "purged", timer_state::dead};
    default: return {"move", "moved", timer_state::alive};
  }
}

void check_words(const durable_options& options) {
  const std::string_view verb = verbs_of(options.what).todo;
  if (options.key) {
    durable_options query = options;
    query.partition.reset();
    if (options.all || options.dead || narrows(query))
      throw usage_error(fmt::format("{}: KEY is one timer; a query has --key PREFIX in place of it", verb));
  } else if (!narrows(options) && !options.all) {
    throw usage_error(
        fmt::format("{}: KEY is missing, or a query such as --handler NAME; every timer that there is: --all", verb));
  }
  if (options.what == action::move && options.due.empty() == options.in.empty())
    throw usage_error("move: either --to TIME or --by SPAN is needed");
}

subjects find_subjects(store& in, const durable_options& options) {
  const verbs its = verbs_of(options.what);
  subjects out;
  const auto add = [&out](listed_record&& found) {
    out.last_death = std::max(out.last_death, found.died.value_or(stored_time::min()));
    out.each.push_back({found.what.shard, std::move(found.what.key), found.what.due});
  };
  if (options.key) {
    if (auto found = find_named(in, options, its.state)) {
      out.one = found->what;
      out.words = fmt::format("{} (handler {}, {} {})", name_text(found->what), in_quotes(found->what.handler),
                              found->died ? "died" : "due", utc_text(place_of(*found)));
      add(*std::move(found));
    }
    return out;
  }
  each_found(in, query_of(options), add);
  const std::string which = words_of(options);
  out.words = fmt::format("{} {}timer{}{}{}", count_text(out.each.size()), options.dead ? "dead " : "",
                          out.each.size() == 1 ? "" : "s", which.empty() ? "" : " ", which);
  return out;
}

// The new due time of a moved timer.
struct new_due {
  stored_time to{};
  std::chrono::microseconds by{};
  bool is_offset = false;

  stored_time of(stored_time before) const {
    if (!is_offset) return to;
    if (by.count() > 0 && before > stored_time::max() - by) return stored_time::max();
    if (by.count() < 0 && before < stored_time::min() - by) return stored_time::min();
    return before + by;
  }
};

new_due due_of(const durable_options& options) {
  if (options.what != action::move) return {.to = time_now()};
  if (options.in.empty()) return {.to = typed_time("--to", options.due)};
  return {.by = signed_span("--by", options.in), .is_offset = true};
}

change change_of(action what, const subject& its, const new_due& due) {
  if (what == action::cancel || what == action::purge)
    return cancel_request{its.shard, its.key, change_run::new_question()};
  put_request put{.mode = what == action::revive ? put_mode::revive : put_mode::move};
  put.what.shard = its.shard;
  put.what.key = its.key;
  put.what.id = change_run::new_id();
  put.what.due = due.of(its.due);
  return put;
}

std::uint64_t purge(store& in, const durable_options& options, stored_time last_death) {
  list_request which = query_of(options);
  if (last_death != stored_time::max()) which.until = std::min(which.until, last_death + std::chrono::microseconds(1));
  std::uint64_t erased = 0;
  for (shard_id shard = 0; shard < in.shards(); ++shard) {
    which.shard = shard;
    which.after.clear();
    do {
      purge_page page;
      check(in.purge(which, page), in);
      erased += page.erased;
      which.after = std::move(page.next);
    } while (!which.after.empty());
  }
  return erased;
}

struct outcome {
  std::uint64_t concerned = 0, done = 0, running = 0, gone = 0, unknown = 0;
};

outcome carry_out(store& in, const durable_options& options, const subjects& all, const new_due& due) {
  outcome out{.concerned = all.each.size()};
  if (options.what == action::purge && !options.key) {
    out.done = purge(in, options, all.last_death);
    out.gone = out.concerned - std::min(out.done, out.concerned);
    return out;
  }
  change_run run(in);
  try {
    for (const subject& each : all.each) run.add(change_of(options.what, each, due));
    run.finish();
  } catch (const input_error& trouble) {
    throw input_error(fmt::format("{}; of {} timers {} were {} before", trouble.what(), count_text(all.each.size()),
                                  count_text(run.done()), verbs_of(options.what).done));
  }
  out.done = run.done();
  out.running = run.running();
  out.gone = run.gone();
  out.unknown = run.unknown();
  return out;
}

std::string json_text(const durable_options& options, const subjects& all, const outcome& counts) {
  const verbs its = verbs_of(options.what);
  json_object json;
  json.text("action", its.todo);
  if (all.one) {
    const key_parts of = parts_of(all.one->key);
    json.text("key", printable(of.key)).text("partition", printable(of.partition));
  }
  json.count("concerned", counts.concerned).count(its.done, counts.done);
  if (options.what == action::cancel) json.count("running", counts.running);
  json.count("gone", counts.gone).count("unknown", counts.unknown);
  return json.str() + "\n";
}

// Describes the change of one timer.
std::string one_text(const durable_options& options, const subjects& all, const outcome& counts, const new_due& due) {
  const std::string name = name_text(*all.one) + ": ";
  const verbs its = verbs_of(options.what);
  if (counts.running != 0) return name + "runs now, and will be neither retried nor repeated\n";
  if (counts.unknown != 0) return name + "unknown: the node that has it did not answer; it may run once\n";
  if (counts.done == 0) return name + "no such timer\n";
  if (options.what == action::revive) return name + "lives again, due now\n";
  if (options.what == action::move) return name + "moved, due " + utc_text(due.of(all.each.front().due)) + "\n";
  return name + std::string(its.done) + "\n";
}

std::string many_text(const durable_options& options, const outcome& counts) {
  std::string out = fmt::format("{} of {} timer{} {}", count_text(counts.done), count_text(counts.concerned),
                                counts.concerned == 1 ? "" : "s", verbs_of(options.what).done);
  const auto add = [&out](std::uint64_t count, std::string_view what) {
    if (count != 0) out += fmt::format("; {} {}", count_text(count), what);
  };
  add(counts.running, "ran at the time, and will be neither retried nor repeated");
  add(counts.gone, "had gone before");
  add(counts.unknown, "unknown: the node that has them did not answer; they may run once");
  return out + "\n";
}

durable_result nothing_found(const durable_options& options, const subjects& all) {
  const verbs its = verbs_of(options.what);
  durable_result none{.failed = options.key.has_value()};
  if (options.json) {
    none.text = json_text(options, all, {});
  } else if (options.key) {
    none.text = fmt::format("{}: no such {}timer\n", in_quotes(typed_key(options)),
                            its.state == timer_state::dead ? "dead " : "");
  } else {
    none.text = fmt::format("nothing to {}: {}\n", its.todo, all.words);
  }
  return none;
}

}  // namespace

void check_change(const durable_options& options) {
  check_words(options);
  due_of(options);
  query_of(options);
  if (options.key) typed_key(options);
}

durable_result change_timers(store& in, const durable_options& typed) {
  durable_options options = typed;
  const new_due due = due_of(options);
  const verbs its = verbs_of(options.what);
  if (its.state == timer_state::dead && !options.key) options.dead = true;
  const subjects all = find_subjects(in, options);
  if (all.each.empty()) return nothing_found(options, all);
  std::string plan = fmt::format("{} {}", its.todo, all.words);
  if (options.what == action::move) plan += due.is_offset ? " by " + options.in : " to " + utc_text(due.to);
  if (!has_consent(plan + " in " + printable(in.name()), options.yes)) return {"nothing was changed\n", true};
  const outcome counts = carry_out(in, options, all, due);
  durable_result result{.failed = counts.running + counts.unknown != 0 || (all.one && counts.done == 0)};
  result.text = options.json ? json_text(options, all, counts)
                : all.one    ? one_text(options, all, counts, due)
                             : many_text(options, counts);
  return result;
}

}  // namespace detent::tool
