// SPDX-License-Identifier: MIT
// Asks the kernel about this process: its threads, descriptors, mappings and memory.
#pragma once

#if defined(__linux__)
#include <unistd.h>
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace detent::drive {

// Empty also if the kernel refuses, which it does for some files only when they are read.
inline std::string read_text(const std::string& path) {
  std::ifstream file(path);
  std::string text;
  std::getline(file, text, '\0');
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

#if defined(__linux__)
inline std::vector<std::string> entries_of(const char* folder) {
  std::vector<std::string> names;
  for (const auto& each : std::filesystem::directory_iterator(folder)) names.push_back(each.path().filename());
  return names;
}

// Returns once the kernel has forgotten the thread, which may be a moment after a join.
inline void start_and_end_a_thread() {
  pid_t id = 0;
  std::thread([&id] { id = gettid(); }).join();
  while (access(("/proc/self/task/" + std::to_string(id)).c_str(), F_OK) == 0) std::this_thread::yield();
}
// With the program's first thread, a thread sanitizer starts one of its own. This must be over before anything is
// counted.
inline std::size_t threads() {
  static const bool started = (start_and_end_a_thread(), true);
  return started ? entries_of("/proc/self/task").size() : 0;
}
// The count includes its own view of the folder each time.
inline std::size_t descriptors() { return entries_of("/proc/self/fd").size(); }
inline std::size_t mappings() {
  const std::string text = read_text("/proc/self/maps");
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

// Returns how many CPUs the machine may have, which is the least number that no CPU has.
inline int configured_cpus() { return static_cast<int>(sysconf(_SC_NPROCESSORS_CONF)); }

struct memory_use {
  std::size_t mapped = 0, resident = 0;  // in bytes
};
inline memory_use memory() {
  std::ifstream file("/proc/self/statm");
  memory_use pages;
  file >> pages.mapped >> pages.resident;
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return {pages.mapped * page, pages.resident * page};
}

// Returns the folder in /proc of the thread with that name, if there is exactly one.
inline std::optional<std::string> thread_folder(const std::string& name) {
  std::optional<std::string> found;
  for (const std::string& id : entries_of("/proc/self/task")) {
    std::string folder = "/proc/self/task/" + id + "/";
    if (read_text(folder + "comm") != name) continue;
    if (found) return std::nullopt;
    found = std::move(folder);
  }
  return found;
}

// Returns the processor time of the thread with that name in nanoseconds, or zero if the kernel does not say.
inline std::uint64_t processor_time(const std::string& name) {
  std::uint64_t used = 0;
  if (const auto folder = thread_folder(name)) std::ifstream(*folder + "schedstat") >> used;
  return used;
}

// Returns the value in the line "KEY:\tvalue" of a status file.
inline std::string status_field(const std::string& folder, const std::string& key) {
  std::ifstream file(folder + "status");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind(key + ":", 0) == 0) return line.substr(line.find_first_not_of(" \t", key.size() + 1));
  }
  return {};
}
#else
// Other systems have nothing to read: counts stay 0, and tests that look for a thread are left out by name.
inline std::size_t threads() { return 0; }
inline std::size_t descriptors() { return 0; }
inline int configured_cpus() { return static_cast<int>(std::thread::hardware_concurrency()); }
inline std::optional<std::string> thread_folder(const std::string&) { return std::nullopt; }
inline std::string status_field(const std::string&, const std::string&) { return {}; }
#endif

}  // namespace detent::drive
