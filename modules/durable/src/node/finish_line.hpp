// SPDX-License-Identifier: MIT
#pragma once

#include "inbox.hpp"
#include "registry.hpp"
#include "verdicts.hpp"

#include <detent/durable.hpp>
#include <detent/durable_journal.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace detent::durable::detail {

// Takes runs that are over. Due runs wait here, in their order, while too many ends are not in the store, or while
// their handler has as many runs as it may. Any thread, except where a comment says otherwise.
class finish_line {
 public:
  // The parts of the store that runs may use on threads of their own.
  struct of_store {
    std::string name;
    run_journal* journal;  // null: it has none
    run_tokens* tokens;    // likewise
  };
  finish_line(std::shared_ptr<inbox> to, std::size_t most_unwritten, const verdicts& by, of_store in) noexcept
      : inbox_(std::move(to)), most_unwritten_(most_unwritten), verdicts_(by), store_(std::move(in)) {}
  // Valid as long as something runs.
  const detail::verdicts& verdicts() const noexcept { return verdicts_; }
  const of_store& in_store() const noexcept { return store_; }
  void push(finished what);
  void push(operation&& admitted) { inbox_->push(std::move(admitted)); }

  // Whether a due run may start; it then holds up the end until done(). False: it waits here, and next() hands it out.
  bool admit(std::shared_ptr<run> what);
  // Makes it wait here until next() hands it out. Called by the thread that writes.
  void hold(std::shared_ptr<run> what);
  // Called when the call of its handler has returned, and for a detached run when its end has come. `is_last` is true
  // for the later of the two.
  void done(const run& what, bool is_last);
  void detached();
  // Whether it waited here; it then does not start any more.
  bool withdraw(run& what);
  // Withdraws a careful run, whose mark is to be taken back. False: it did not wait here.
  bool take_back(run& what);

  // Called by the thread that writes: it has taken this many runs in all, and this many ends are not in the store.
  // Returns how many calls of next() the executor must make, besides those that it has yet to make. does_not_ask()
  // reports how many were refused.
  std::size_t wrote_all_but(std::uint64_t taken, std::size_t unwritten);
  void does_not_ask(std::size_t count);
  // Called on the executor: returns the first run that waits and may start, else null.
  std::shared_ptr<run> next();

  // Called last by the thread that writes, and again while it returns false, because something runs, or has an end to
  // write, if that still matters. Nothing starts after it.
  bool close(bool ends_matter);

 private:
  // The runs of one handler that has a limit, or those of all others.
  struct line {
    std::size_t most = SIZE_MAX;
    std::size_t running = 0;
    std::deque<std::shared_ptr<run>> held = {};  // and some that were withdrawn
    std::size_t withdrawn = 0;                   // of these

    std::size_t free() const noexcept { return most - running; }
  };

  line& line_of(const run& what);
  void hold_in(line& its, std::shared_ptr<run> what);
  std::size_t room() const;
  static bool has_held(line& in);
  // Whether it was held; it is not any more.
  bool let_go(run& what);

  const std::shared_ptr<inbox> inbox_;
  const std::size_t most_unwritten_;
  const detail::verdicts& verdicts_;
  const of_store store_;
  mutable std::mutex lock_;
  std::uint64_t pushed_ = 0;   // runs, in all
  std::uint64_t taken_ = 0;    // of these
  std::size_t unwritten_ = 0;  // ends of these
  line any_;
  std::map<const handling*, line> limited_;
  std::uint64_t held_ = 0;   // how many were held in all
  std::size_t asked_ = 0;    // calls of next() that are to come
  std::size_t running_ = 0;  // handlers, and detached runs without an answer
  bool closed_ = false;
};

}  // namespace detent::durable::detail
