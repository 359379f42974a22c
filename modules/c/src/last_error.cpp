// SPDX-License-Identifier: MIT
#include "last_error.hpp"

#include <detent/detent.h>

#include "callers/last_failure.hpp"

#include <cstdio>
#include <exception>
#include <new>

namespace detent::c {
namespace {

using detail::last_failure;

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
    last_failure::keep(failure.code().value(), failure.what());
  } catch (const std::bad_alloc&) {
    last_failure::keep(DETENT_ERROR_OUT_OF_MEMORY, "out of memory");
  } catch (const std::exception& failure) {
    last_failure::keep(DETENT_ERROR_OTHER, failure.what());
  } catch (...) {
    last_failure::keep(DETENT_ERROR_OTHER, "unknown");
  }
}

void keep_error(errc code, const char* text) noexcept { last_failure::keep(static_cast<int>(code), text); }
void keep_null(const char* name) noexcept {
  char line[100];
  std::snprintf(line, sizeof(line), "%s = null: must be given", name);
  last_failure::keep(DETENT_ERROR_INVALID_OPTION, line);
}
const char* last_error_text() noexcept { return last_failure::text(); }

}  // namespace detent::c

int detent_last_error(const char** text) {
  if (text != nullptr) *text = detent::detail::last_failure::text();
  return detent::detail::last_failure::code();
}
