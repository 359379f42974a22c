// SPDX-License-Identifier: MIT
#include "doctor/worker_search.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "counters/counters_file.hpp"
#include "counters/counters_search.hpp"
#include "host/cpu_list.hpp"
#include "host/thread_table.hpp"
#include "text/input_error.hpp"

namespace detent::tool {
namespace {

wait_options::kind kind_named(std::string_view name) {
  if (name == "busy") return wait_options::kind::busy;
  return name == "sleep" ? wait_options::kind::sleep : wait_options::kind::hybrid;
}

struct counted_drivers {
  std::map<long long, wait_options::kind> workers;
  bool has_callers = false;  // a caller drives one of its engines
};

// Returns the drivers that the process's counters files name. Files that cannot be read, or belong to another process,
// are ignored: then the threads' names decide.
counted_drivers drivers_with_counters(const host_files& host, long long process) {
  counted_drivers out;
  const std::string directory = host.root() + "/dev/shm";
  // The processes of a copy are not this host's, so their mappings cannot be asked for.
  std::vector<std::string> paths;
  try {
    paths = host.root().empty() ? counters_files_of(process, directory) : counters_files_of_host(directory);
  } catch (const input_error&) {
    return out;
  }
  for (const std::string& path : paths) {
    try {
      const counters_snapshot snapshot = counters_file(path, path_origin::found).read();
      require_owner(snapshot, host);
      const engine_identity& engine = snapshot.identity;
      if (snapshot.ended || engine.process != process) continue;
      if (engine.worker_thread == 0) {
        out.has_callers = true;
      } else {
        out.workers.emplace(engine.worker_thread, kind_named(engine.wait));
      }
    } catch (const input_error&) {
      continue;
    }
  }
  return out;
}

std::optional<int> only_cpu_of(const host_files& host, long long process, long long thread) {
  const std::string status = host.read(fmt::format("/proc/{}/task/{}/status", process, thread)).value_or("");
  for (const std::string_view line : lines_of(status)) {
    const auto words = words_of(line);
    if (words.size() != 2 || words[0] != "Cpus_allowed_list:") continue;
    const auto cpus = cpus_in(words[1]);
    if (cpus && cpus->size() == 1) return cpus->front();
  }
  return std::nullopt;
}

// Finds threads whose name is the default, or begins with it and a dash. A new thread inherits the name of the thread
// that made it, so the name of the first thread says nothing.
std::vector<long long> workers_by_name(const std::vector<thread_facts>& threads, long long process) {
  const auto first =
      std::find_if(threads.begin(), threads.end(), [=](const thread_facts& each) { return each.thread == process; });
  std::vector<long long> out;
  for (const thread_facts& each : threads) {
    const bool inherited = first != threads.end() && each.name == first->name;
    if (!inherited && (each.name == "detent" || each.name.starts_with("detent-"))) out.push_back(each.thread);
  }
  return out;
}

long long the_one(const std::vector<long long>& candidates, long long process) {
  if (candidates.size() == 1) return candidates.front();
  if (candidates.empty()) {
    throw input_error(
        fmt::format("process {}: no thread of it is known to be a worker (no counters file, none named detent): name "
                    "it with --thread",
                    process));
  }
  std::string list;
  for (const long long each : candidates) list += (list.empty() ? "" : ", ") + std::to_string(each);
  throw input_error(
      fmt::format("process {} has {} workers: choose one with --thread: {}", process, candidates.size(), list));
}

}  // namespace

worker_facts worker_of(const host_files& host, long long process, std::optional<long long> thread) {
  const std::vector<thread_facts> threads = threads_of(host, process);
  if (threads.empty()) throw input_error(fmt::format("process {}: /proc shows none of its threads", process));
  const counted_drivers counted = drivers_with_counters(host, process);
  worker_facts worker;
  worker.process = process;
  if (!thread) {
    std::vector<long long> candidates;
    candidates.reserve(counted.workers.size());
    for (const auto& [id, wait] : counted.workers) candidates.push_back(id);
    if (candidates.empty()) {
      candidates = workers_by_name(threads, process);
    }
    if (candidates.empty() && counted.has_callers) return worker;
    thread = the_one(candidates, process);
  }
  const auto found =
      std::find_if(threads.begin(), threads.end(), [&](const thread_facts& each) { return each.thread == *thread; });
  if (found == threads.end()) throw input_error(fmt::format("process {} has no thread {}", process, *thread));

  worker.thread = thread;
  worker.cpu = only_cpu_of(host, process, *thread);
  if (found->policy == SCHED_FIFO || found->policy == SCHED_RR) worker.priority = found->priority;
  if (const auto known = counted.workers.find(*thread); known != counted.workers.end()) worker.wait = known->second;
  return worker;
}

}  // namespace detent::tool
