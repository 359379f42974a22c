// SPDX-License-Identifier: MIT
#include "host/thread_cpu.hpp"

#include <unistd.h>

#include <fmt/format.h>

#include <string>

namespace detent::tool {

std::optional<std::int64_t> thread_cpu(std::int64_t process, std::uint32_t thread, const host_files& host) {
  const std::string stat = host.read(fmt::format("/proc/{}/task/{}/stat", process, thread)).value_or("");
  // The second field is a name in brackets, with any characters; utime and stime are the 14th and 15th fields.
  const std::size_t bracket = stat.rfind(')');
  if (bracket == std::string::npos) return std::nullopt;
  const auto words = words_of(std::string_view(stat).substr(bracket + 1));
  constexpr std::size_t user = 11, system = 12;
  if (words.size() <= system) return std::nullopt;
  const auto in_user = number_in(words[user]), in_system = number_in(words[system]);
  if (!in_user || !in_system) return std::nullopt;
  return (*in_user + *in_system) * (1'000'000'000 / ::sysconf(_SC_CLK_TCK));
}

}  // namespace detent::tool
