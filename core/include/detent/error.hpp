// SPDX-License-Identifier: MIT
#pragma once

#include <stdexcept>
#include <string>
#include <system_error>

namespace detent {

// The same cause has the same code, whichever option or call meets it.
enum class errc {
  capacity_exceeded = 1,  // as many timers are pending as engine_options::max_pending allows, or 255 labels exist
  stopped,                // the engine is stopped or closed, or the timer's group has ended
  invalid_option,         // no host can have this value, or this host has nothing of that name
  invalid_period,         // a period must be more than 0 ns
  called_from_callback,   // the call would wait for its own caller
  wrong_drive,            // not for an engine that a worker drives, or not for one that its caller drives
  forked,                 // the engine is the parent process's
  not_permitted,          // the kernel denies it, or another engine or thread has it now
  out_of_memory,
  limit_reached = 11,  // descriptors, threads, locked memory or space; 10 is DETENT_ERROR_OTHER in C
  dropped              // the timer ended without its run: its executor dropped it, it was stale, or it was cancelled
};

const std::error_category& error_category() noexcept;
std::error_code make_error_code(errc) noexcept;

// The exception of set-up and of the throwing calls. what() is one line: the option and its value, or the call; then
// what is wrong with it; then the cure, if there is one.
class error : public std::system_error {
 public:
  explicit error(std::error_code code) : error(code, code.message()) {}
  // what() is exactly `line`.
  error(std::error_code code, const std::string& line) : std::system_error(code), line_(line) {}

  const char* what() const noexcept override { return line_.what(); }

 private:
  std::runtime_error line_;  // copied without throwing, as an exception must be
};

}  // namespace detent

template <>
struct std::is_error_code_enum<detent::errc> : std::true_type {};

namespace detent::detail {

// The code of a refusal by the kernel with `problem`, an errno; and the reason in words, with the cure if there is one.
errc code_of(int problem) noexcept;
std::string explain(int problem);

}  // namespace detent::detail
