// SPDX-License-Identifier: MIT
#pragma once

#include "inbox.hpp"
#include "registry.hpp"
#include "verdicts.hpp"

#include <detent/durable.hpp>
#include <detent/durable_journal.hpp>

#include <deque>
#include <map>
#include <mutex>

namespace detent::durable::detail {

// Takes runs that are over. Due runs wait here in their order while too many ends are not yet in the store, or while
// their handler has as many runs as its limit allows. Any thread may call it, except where a comment says otherwise.
class finish_line {
 public:
  // The parts of the store that runs may use on their own threads.
  struct of_store {
    std::string name;
    run_journal* journal;  // null if it has none
    run_tokens* tokens;    // null if it has none
  };
  finish_line(std::shared_ptr<inbox> to, std::size_t most_unwritten, const verdicts& by, of_store in) noexcept
      : inbox_(std::move(to)), most_unwritten_(most_unwritten), verdicts_(by), store_(std::move(in)) {}
  // Valid as long as a run is under way.
  const detail::verdicts& verdicts() const noexcept { return verdicts_; }
  const of_store& in_store() const noexcept { return store_; }
  void push(finished what);
  void push(pending_change&& admitted) { inbox_->push(std::move(admitted)); }

  // Returns whether a due run may start. If so, close() waits for its done(). If not, it waits here until start_next()
  // starts it.
  bool admit(std::shared_ptr<run> what);
  // Keeps a run here until start_next() starts it. Called by the thread that writes.
  void hold(std::shared_ptr<run> what);
  // Called when the call of the handler has returned, and for a detached run also when its end has come. `is_last` is
  // true in the later of the two calls.
  void done(const run& what, bool is_last);
  void detached();
  // Returns whether the run waited here. If so, it will not start.
  bool withdraw(run& what);
  // Withdraws a careful run whose mark is to be taken back. Returns false if it did not wait here.
  bool take_back(run& what);

  // Called by the thread that writes: it has taken `taken` runs so far, and `unwritten` ends are not yet in the store.
  // Returns how many more calls of start_next() the executor must make, in addition to those already asked for. Each
  // one that it will not make is reported by does_not_ask().
  std::size_t wrote_all_but(std::uint64_t taken, std::size_t unwritten);
  void does_not_ask() noexcept;
  // Called on the executor. Starts the first waiting run that may start, if there is one.
  void start_next() noexcept;

  // Called last by the thread that writes. Returns false while a run is under way or, if `ends_matter`, has yet to
  // write its end; it must then be called again. Nothing starts after the first call.
  bool close(bool ends_matter);

 private:
  // The runs of one handler that has a limit, or those of all other handlers together.
  struct line {
    std::size_t most = SIZE_MAX;
    std::size_t running = 0;
    std::deque<std::shared_ptr<run>> held = {};  // includes some that were withdrawn
    std::size_t withdrawn = 0;                   // how many of `held` were withdrawn

    std::size_t free() const noexcept { return most - running; }
  };

  line& line_of(const run& what);
  void hold_in(line& its, std::shared_ptr<run> what);
  std::size_t room() const;
  static bool has_held(line& in);
  std::shared_ptr<run> next();
  // Returns whether the run was held, and holds it no longer.
  bool let_go(run& what);

  const std::shared_ptr<inbox> inbox_;
  const std::size_t most_unwritten_;
  const detail::verdicts& verdicts_;
  const of_store store_;
  mutable std::mutex lock_;
  std::uint64_t pushed_ = 0;   // runs so far
  std::uint64_t taken_ = 0;    // how many of these were taken
  std::size_t unwritten_ = 0;  // how many of the taken ones' ends are not in the store
  line any_;
  std::map<const handling*, line> limited_;
  std::uint64_t held_ = 0;   // how many were ever held
  std::size_t asked_ = 0;    // calls of start_next() that are to come
  std::size_t running_ = 0;  // handlers, and detached runs without an answer
  bool closed_ = false;
};

}  // namespace detent::durable::detail
