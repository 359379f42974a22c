// SPDX-License-Identifier: MIT
#include "last_error.hpp"

#include <detent/detent.h>

#include <cstdio>
#include <exception>
#include <new>

namespace detent::c {
namespace {

// Plain memory: there is nothing to destroy when its thread ends.
struct kept_error {
  int code = DETENT_ERROR_NONE;
  char text[500] = "";
};
constinit thread_local kept_error last;

void keep(int code, const char* text) noexcept {
  last.code = code;
  std::snprintf(last.text, sizeof(last.text), "%s", text);
}

static_assert(static_cast<int>(errc::capacity_exceeded) == DETENT_ERROR_CAPACITY_EXCEEDED);
static_assert(static_cast<int>(errc::stopped) == DETENT_ERROR_STOPPED);
static_assert(static_cast<int>(errc::invalid_option) == DETENT_ERROR_INVALID_OPTION);
static_assert(static_cast<int>(errc::invalid_period) == DETENT_ERROR_INVALID_PERIOD);
static_assert(static_cast<int>(errc::called_from_callback) == DETENT_ERROR_CALLED_FROM_CALLBACK);
static_assert(static_cast<int>(errc::wrong_drive) == DETENT_ERROR_WRONG_DRIVE);
static_assert(static_cast<int>(errc::forked) == DETENT_ERROR_FORKED);
static_assert(static_cast<int>(errc::not_permitted) == DETENT_ERROR_NOT_PERMITTED);
static_assert(static_cast<int>(errc::out_of_memory) == DETENT_ERROR_OUT_OF_MEMORY);
static_assert(static_cast<int>(errc::limit_reached) == DETENT_ERROR_LIMIT_REACHED);
static_assert(static_cast<int>(errc::dropped) == DETENT_ERROR_DROPPED);

}  // namespace

void keep_error() noexcept {
  try {
    throw;
  } catch (const error& failure) {
    keep(failure.code().value(), failure.what());
  } catch (const std::bad_alloc&) {
    keep(DETENT_ERROR_OUT_OF_MEMORY, "out of memory");
  } catch (const std::exception& failure) {
    keep(DETENT_ERROR_OTHER, failure.what());
  } catch (...) {
    keep(DETENT_ERROR_OTHER, "unknown");
  }
}

void keep_error(errc code, const char* text) noexcept { keep(static_cast<int>(code), text); }
void keep_null(const char* name) noexcept {
  last.code = DETENT_ERROR_INVALID_OPTION;
  std::snprintf(last.text, sizeof(last.text), "%s = null: must be given", name);
}
const char* last_error_text() noexcept { return last.text; }

}  // namespace detent::c

int detent_last_error(const char** text) {
  if (text != nullptr) *text = detent::c::last.text;
  return detent::c::last.code;
}
