// SPDX-License-Identifier: MIT
#include "doctor/realtime_probes.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <string>

#include "text/units.hpp"

namespace detent::tool {
namespace {

std::string microseconds_text(long long us) { return time_text(static_cast<double>(us) * 1e3); }

bool spins(const worker_facts& worker) { return worker.wait == wait_options::kind::busy; }

// Returns whether it is Linux 6.12 or newer, by a version such as "6.18.44-something".
bool has_fair_server(const host_files& host) {
  const std::string release = host.read("/proc/sys/kernel/osrelease").value_or("");
  const std::size_t dot = release.find('.');
  if (dot == std::string::npos) return false;
  const std::string_view rest = std::string_view(release).substr(dot + 1);
  const long long major = number_in(std::string_view(release).substr(0, dot)).value_or(0);
  const long long minor = number_in(rest.substr(0, rest.find_first_not_of("0123456789"))).value_or(0);
  return major > 6 || (major == 6 && minor >= 12);
}

// Returns the number after "NAME" in the first line that begins with it.
std::optional<std::string> first_word_after(const std::string& text, std::string_view name) {
  for (const std::string_view line : lines_of(text)) {
    if (!line.starts_with(name)) continue;
    const auto words = words_of(line.substr(name.size()));
    return words.empty() ? std::nullopt : std::optional(std::string(words[0]));
  }
  return std::nullopt;
}

}  // namespace

finding realtime_throttling(const host_files& host, const worker_facts& worker) {
  const std::string subject = "real-time throttling";
  const std::string runtime_file = "/proc/sys/kernel/sched_rt_runtime_us";
  const std::string period_file = "/proc/sys/kernel/sched_rt_period_us";
  const auto runtime_text = host.read(runtime_file), period_text = host.read(period_file);
  if (!runtime_text) return not_visible(subject, runtime_file);
  if (!period_text) return not_visible(subject, period_file);
  const auto runtime = number_in(*runtime_text), period = number_in(*period_text);
  if (!runtime || *runtime < -1) return not_understood(subject, runtime_file, *runtime_text);
  if (!period || *period <= 0) return not_understood(subject, period_file, *period_text);
  if (*runtime == -1 || *runtime >= *period) return {subject, severity::fine, "off", runtime_file};

  finding out = {subject, severity::note,
                 fmt::format("{} of {}: real-time threads stop for {} of each {} that they fill", *runtime, *period,
                             microseconds_text(*period - *runtime), microseconds_text(*period)),
                 runtime_file};
  const std::string off = "sysctl -w kernel.sched_rt_runtime_us=-1";
  if (worker.priority && spins(worker)) {
    out.judged = severity::bad;
    out.meaning = fmt::format(
        "realtime_priority with wait_options::busy() never rests, so that the worker is stopped for "
        "{} at a time, and every timer due in that time is late",
        microseconds_text(*period - *runtime));
    out.cure = fmt::format("wait_options::hybrid(), or {}", off);
  } else if (worker.priority) {
    out.meaning = "the worker rests between deadlines, and is stopped only if its callbacks leave no time for that";
    out.cure = fmt::format("if callbacks fill the CPU: {}", off);
  } else {
    out.meaning = "stops no worker without realtime_priority";
    out.cure = fmt::format("with realtime_priority and busy(): {}", off);
  }
  return out;
}

finding fair_server(const host_files& host, const worker_facts& worker) {
  const std::string subject = "fair server";
  const std::string file = fmt::format("/sys/kernel/debug/sched/fair_server/cpu{}/runtime", worker.cpu.value_or(0));
  const auto text = host.read(file);
  if (!text) return not_visible(subject, file);
  const auto runtime = number_in(*text);
  if (!runtime || *runtime < 0) return not_understood(subject, file, *text);
  if (*runtime == 0) return {subject, severity::fine, "off", file};
  return {subject,
          spins(worker) ? severity::warning : severity::note,
          fmt::format("ordinary threads get {} of each period", time_text(static_cast<double>(*runtime))),
          file,
          "as soon as an ordinary thread waits for this CPU, it takes that much from a worker that does not rest",
          fmt::format("keep other threads off the CPU, or echo 0 > {}", file)};
}

finding realtime_permission(const host_files& host, const worker_facts& worker) {
  const std::string subject = "real-time permission";
  const std::string directory = worker.process ? fmt::format("/proc/{}", *worker.process) : "/proc/self";
  const std::string status_file = directory + "/status", limits_file = directory + "/limits";
  const auto status = host.read(status_file), limits = host.read(limits_file);
  if (!status) return not_visible(subject, status_file);
  constexpr int sys_nice = 23;
  std::uint64_t capabilities = 0;
  const auto word = first_word_after(*status, "CapEff:");
  if (!word || std::from_chars(word->data(), word->data() + word->size(), capabilities, 16).ec != std::errc()) {
    return not_understood(subject, status_file, *status);
  }
  if ((capabilities >> sys_nice & 1) != 0) return {subject, severity::fine, "CAP_SYS_NICE", status_file};
  if (!limits) return not_visible(subject, limits_file);
  const auto limit = first_word_after(*limits, "Max realtime priority");
  const auto most = limit ? number_in(*limit) : std::nullopt;
  if (!most && limit != "unlimited") return not_understood(subject, limits_file, *limits);
  const int wanted = worker.priority.value_or(1);
  if (limit == "unlimited" || *most >= wanted) {
    return {subject, severity::fine, fmt::format("priorities to {}", *limit), limits_file};
  }
  return {subject,
          severity::bad,
          fmt::format("no CAP_SYS_NICE, and priorities to {} only", *most),
          limits_file,
          fmt::format("an engine with realtime_priority = {} is refused", wanted),
          fmt::format("setcap cap_sys_nice+ep PROGRAM, or ulimit -r {0}, or LimitRTPRIO={0} in the service", wanted)};
}

std::vector<finding> realtime_findings(const host_files& host, const worker_facts& worker) {
  std::vector<finding> out = {realtime_throttling(host, worker)};
  if (worker.priority && has_fair_server(host)) out.push_back(fair_server(host, worker));
  if (worker.priority && !worker.thread) out.push_back(realtime_permission(host, worker));
  return out;
}

}  // namespace detent::tool
