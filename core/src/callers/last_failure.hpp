// SPDX-License-Identifier: MIT
// The last call of a thread that failed without an exception: for failure::message(), and for detent_last_error() in C.
#pragma once

#include <detent/error.hpp>

#include "callers/refusals.hpp"

#include <cstdint>
#include <new>
#include <string>
#include <string_view>

namespace detent::detail {

// Every call is about the calling thread.
class last_failure {
 public:
  // Keeps a refused schedule call on the engine of that name, of which 127 bytes are kept. The sentence is made when
  // it is asked for. Returns the number for message_of(), which has 56 bits and is not 0. No other failure gets the
  // same number before 2^24 more threads have failed, or this one 2^32 times.
  static std::uint64_t keep(std::string_view engine, const refusal& why) noexcept;
  // Keeps any other call. `code` is an errc, or DETENT_ERROR_OTHER; 499 bytes of the line are kept.
  static void keep(int code, const char* line) noexcept;

  // Returns the sentence of the failure of that number, or the code's own words if another failure has come since, or
  // if the failure was another thread's. Throws bad_alloc.
  static std::string message_of(std::uint64_t number, errc problem);
  // 0 if no call has failed. The text is valid until the thread's next failure.
  static int code() noexcept;
  static const char* text() noexcept;
};

// Returns the failure of a call whose sentence line() makes, and keeps it as the thread's last one.
template <class Line>
failure failed(errc code, Line&& line) noexcept {
  try {
    failure made(code, line());
    last_failure::keep(static_cast<int>(code), made.message().c_str());
    return made;
  } catch (const std::bad_alloc&) {
    last_failure::keep(static_cast<int>(code), "no memory for the reason");
    return failure(code);
  }
}

}  // namespace detent::detail
