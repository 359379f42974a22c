// SPDX-License-Identifier: MIT
#include "platform/clock_source.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

namespace detent::detail {

clock_reason judge_clock_source(const char* file) noexcept {
  const int descriptor = ::open(file, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return clock_reason::unknown_source;
  char text[64];
  ssize_t got = 0;
  do got = ::read(descriptor, text, sizeof text);
  while (got < 0 && errno == EINTR);
  ::close(descriptor);
  if (got <= 0) return clock_reason::unknown_source;
  return std::string_view(text, static_cast<std::size_t>(got)) == "tsc\n" ? clock_reason::none
                                                                          : clock_reason::other_source;
}

}  // namespace detent::detail
