// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

namespace detent {

// The same cause has the same code, whichever option or call meets it.
enum class errc {
  capacity_exceeded = 1,  // as many timers are pending as engine_options::max_pending allows, or 255 labels exist
  stopped,                // the engine is stopped or closed, or the timer's group has begun to end
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

// Why a call that does not throw has had no effect: the code and the sentence of the exception that the call would have
// thrown. Converts to a std::error_code, and compares with one and with an errc.
class failure {
 public:
  failure() noexcept = default;  // there was none
  // Without a line, message() is the code's own words.
  explicit failure(errc code, std::string line = {}) noexcept : code_(code), line_(std::move(line)) {}

  std::error_code code() const noexcept { return code_ == errc{} ? std::error_code() : make_error_code(code_); }
  // One line: the option and its value, or the call; what is wrong with it; and the cure, if there is one. Empty if
  // there was no failure. For timer::error(), ask on the thread of the call, before the next call there fails;
  // otherwise the line is only the code's own words. Throws bad_alloc.
  std::string message() const;
  // Whether there was one.
  explicit operator bool() const noexcept { return code_ != errc{}; }

  operator std::error_code() const noexcept { return code(); }
  friend bool operator==(const failure& a, const std::error_code& b) noexcept { return a.code() == b; }
  friend bool operator==(const failure& a, const failure& b) noexcept { return a.code_ == b.code_; }

 private:
  friend class timer;
  failure(errc code, std::uint64_t kept) noexcept : code_(code), kept_(kept) {}

  errc code_{};
  std::uint64_t kept_ = 0;  // not 0: the number under which the thread keeps the reason, in place of the line
  std::string line_;
};

}  // namespace detent

template <>
struct std::is_error_code_enum<detent::errc> : std::true_type {};

namespace detent::detail {

// The code of a refusal by the kernel with `problem`, an errno; and the reason in words, with the cure if there is one.
errc code_of(int problem) noexcept;
std::string explain(int problem);

}  // namespace detent::detail
