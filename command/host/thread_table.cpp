// SPDX-License-Identifier: MIT
#include "host/thread_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "text/printable_text.hpp"

namespace detent::tool {
namespace {

constexpr std::uint64_t tick = 10'000'000;  // nanoseconds; user space always gets hundredths of a second

std::uint64_t count_in(std::string_view text) {
  const auto number = number_in(text);
  return number && *number > 0 ? static_cast<std::uint64_t>(*number) : 0;
}

// Fills in the figures of /proc/PID/task/TID/stat. Returns false if they make no sense.
bool take_stat(std::string_view text, thread_facts& facts) {
  // The name is in brackets and may have any characters; the third field comes after it.
  const std::size_t open = text.find('('), close = text.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return false;
  const auto words = words_of(text.substr(close + 1));
  const auto field = [&](std::size_t number) { return words[number - 3]; };  // numbered as in proc(5)
  constexpr std::size_t flags = 9, user = 14, system = 15, cpu = 39, priority = 40, policy = 41;
  if (words.size() <= policy - 3 || !number_in(field(cpu)) || !number_in(field(flags))) return false;
  constexpr std::uint64_t is_kernel_thread = 0x00200000;
  facts.state = words[0][0];
  facts.name = printable(text.substr(open + 1, close - open - 1));
  facts.kernel = (count_in(field(flags)) & is_kernel_thread) != 0;
  facts.ran = (count_in(field(user)) + count_in(field(system))) * tick;
  facts.cpu = static_cast<int>(*number_in(field(cpu)));
  facts.priority = static_cast<int>(count_in(field(priority)));
  facts.policy = static_cast<int>(count_in(field(policy)));
  return true;
}

void take_switches(std::string_view status, thread_facts& facts) {
  for (const std::string_view line : lines_of(status)) {
    const auto words = words_of(line);
    if (words.size() != 2) continue;
    if (words[0] == "voluntary_ctxt_switches:") facts.gave_up = count_in(words[1]);
    if (words[0] == "nonvoluntary_ctxt_switches:") facts.preempted = count_in(words[1]);
  }
}

}  // namespace

std::optional<thread_facts> thread_of(const host_files& host, long long process, long long thread) {
  const std::string directory = fmt::format("/proc/{}/task/{}/", process, thread);
  const auto stat = host.read(directory + "stat");
  thread_facts facts;
  facts.process = process;
  facts.thread = thread;
  if (!stat || !take_stat(*stat, facts)) return std::nullopt;
  take_switches(host.read(directory + "status").value_or(""), facts);
  const std::string times = host.read(directory + "schedstat").value_or("");
  if (const auto words = words_of(times); words.size() == 3 && number_in(words[0]) && number_in(words[1])) {
    // While a thread runs on a CPU without the kernel's tick, schedstat is up to a second old, and stat is not.
    facts.ran = std::max(facts.ran, count_in(words[0]));
    facts.waited = count_in(words[1]);
    facts.slices = count_in(words[2]);
    facts.delays = true;
  }
  return facts;
}

std::vector<thread_facts> threads_of(const host_files& host, long long process) {
  std::vector<thread_facts> out;
  for (const long long thread : host.numbers_in(fmt::format("/proc/{}/task", process))) {
    if (auto facts = thread_of(host, process, thread)) out.push_back(std::move(*facts));
  }
  return out;
}

std::vector<thread_facts> threads_of_host(const host_files& host) {
  std::vector<thread_facts> out;
  for (const long long process : host.numbers_in("/proc")) {
    for (thread_facts& facts : threads_of(host, process)) out.push_back(std::move(facts));
  }
  return out;
}

}  // namespace detent::tool
