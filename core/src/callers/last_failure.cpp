// SPDX-License-Identifier: MIT
#include "callers/last_failure.hpp"

#include <detent/base/atomic.hpp>

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace detent {
namespace detail {
namespace {

// Plain memory: there is nothing to destroy when its thread ends.
struct kept_failure {
  std::uint32_t thread = 0;  // 0: it has no number yet
  std::uint32_t count = 0;
  int code = 0;
  bool has_text = true;  // else it is made of the two below
  refusal why;
  char engine[128] = "";
  char text[500] = "";

  std::uint64_t number() const noexcept { return std::uint64_t{thread & 0xff'ffff} << 32 | count; }
  std::string sentence() const { return prefix_of(engine) + explain(why); }
};
constinit thread_local kept_failure last;

void number_next() noexcept {
  static base::atomic<std::uint32_t> threads{0};
  if (last.thread == 0) last.thread = threads.fetch_add(1, base::relaxed) + 1;  // relaxed: only has to be another
  if (++last.count == 0) last.count = 1;
}

}  // namespace

std::uint64_t last_failure::keep(std::string_view engine, const refusal& why) noexcept {
  number_next();
  last.code = static_cast<int>(why.problem);
  last.has_text = false;
  last.why = why;
  const std::size_t length = std::min(engine.size(), sizeof(last.engine) - 1);
  std::memcpy(last.engine, engine.data(), length);
  last.engine[length] = '\0';
  return last.number();
}

void last_failure::keep(int code, const char* line) noexcept {
  number_next();
  last.code = code;
  last.has_text = true;
  std::snprintf(last.text, sizeof(last.text), "%s", line);
}

std::string last_failure::message_of(std::uint64_t number, errc problem) {
  const bool is_last = last.number() == number && !last.has_text && last.why.problem == problem;
  return is_last ? last.sentence() : make_error_code(problem).message();
}

int last_failure::code() noexcept { return last.code; }

const char* last_failure::text() noexcept {
  if (last.has_text) return last.text;
  try {
    std::snprintf(last.text, sizeof(last.text), "%s", last.sentence().c_str());
  } catch (const std::bad_alloc&) {
    return "no memory for the reason";
  }
  return last.text;
}

}  // namespace detail

std::string failure::message() const {
  if (code_ == errc{}) return {};
  if (!line_.empty()) return line_;
  return kept_ != 0 ? detail::last_failure::message_of(kept_, code_) : make_error_code(code_).message();
}

}  // namespace detent
