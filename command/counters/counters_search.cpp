// SPDX-License-Identifier: MIT
#include "counters/counters_search.hpp"

#include <fmt/format.h>

#include <sys/types.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <system_error>
#include <utility>

#include "counters/counters_file.hpp"
#include "text/input_error.hpp"
#include "text/printable_text.hpp"

namespace detent::tool {
namespace {

struct own_file {
  long long process, number;
  std::string path;
  // clang-tidy 14 takes the comparison with 0 that the compiler writes here for one with a pointer.
  auto operator<=>(const own_file&) const = default;  // NOLINT(modernize-use-nullptr)
};

// Reads the parts of a name detent.PID.NUMBER.
std::optional<own_file> named(const std::filesystem::path& path) {
  constexpr std::string_view prefix = "detent.";
  const std::string name = path.filename().string();
  if (!name.starts_with(prefix)) return std::nullopt;
  const std::string_view rest = std::string_view(name).substr(prefix.size());
  const std::size_t dot = std::min(rest.find('.'), rest.size());
  const auto process = number_in(rest.substr(0, dot));
  const auto number = dot == rest.size() ? std::nullopt : number_in(rest.substr(dot + 1));
  if (!process || !number || *process <= 0 || *number < 0) return std::nullopt;
  return own_file{*process, *number, path.string()};
}

std::vector<own_file> own_files(const std::string& directory) {
  std::vector<own_file> files;
  std::error_code trouble;
  const std::filesystem::directory_iterator end;
  for (std::filesystem::directory_iterator at(directory, trouble); !trouble && at != end; at.increment(trouble)) {
    if (auto file = named(at->path())) files.push_back(std::move(*file));
  }
  if (trouble && trouble != std::errc::no_such_file_or_directory)
    throw input_error(fmt::format("{}: cannot be listed: {}", printable(directory), trouble.message()));
  std::sort(files.begin(), files.end());
  return files;
}

// The files that the process has mapped shared and for writing, as an engine does its counters. Throws input_error
// where that is a secret.
std::vector<std::string> mapped_files(std::int64_t process) {
  std::vector<std::string> files;
  const std::string name = fmt::format("/proc/{}/maps", process);
  errno = 0;
  std::ifstream maps(name);
  if (!maps && (errno == EACCES || errno == EPERM))
    throw input_error(fmt::format("{}: cannot be opened: {}", name, std::strerror(errno)));
  for (std::string line; std::getline(maps, line);) {
    const std::vector<std::string_view> words = words_of(line);  // range, rights, offset, device, inode, path
    const std::size_t path = line.find('/');
    if (words.size() < 6 || words[1] != "rw-s" || path == std::string::npos) continue;
    files.push_back(line.substr(path));
  }
  return files;
}

bool is_counters_file(const std::string& path) {
  std::error_code trouble;
  if (!std::filesystem::is_regular_file(path, trouble)) return false;
  std::ifstream file(path, std::ios::binary);
  char magic[sizeof counters_layout::magic] = {};
  return file.read(magic, sizeof magic) && std::equal(std::begin(magic), std::end(magic), counters_layout::magic);
}

}  // namespace

std::vector<std::string> counters_files_of_host(const std::string& directory) {
  std::vector<std::string> paths;
  for (own_file& file : own_files(directory)) paths.push_back(std::move(file.path));
  return paths;
}

std::vector<std::string> counters_files_of(std::int64_t process, const std::string& directory) {
  std::vector<std::string> paths;
  std::optional<input_error> unseen;  // why either place may have more
  try {
    for (own_file& file : own_files(directory)) {
      if (file.process == process) paths.push_back(std::move(file.path));
    }
  } catch (const input_error& trouble) {
    unseen = trouble;
  }
  try {
    for (std::string& path : mapped_files(process)) {
      if (std::find(paths.begin(), paths.end(), path) == paths.end() && is_counters_file(path)) {
        paths.push_back(std::move(path));
      }
    }
  } catch (const input_error& trouble) {
    unseen = trouble;
  }
  if (paths.empty() && unseen) throw input_error(*unseen);
  return paths;
}

bool is_process(const std::string& target) {
  return !target.empty() && std::all_of(target.begin(), target.end(), [](char c) { return c >= '0' && c <= '9'; });
}

namespace {

// Whether there is a process of that id. /proc may hide those of other users.
bool is_there(std::int64_t process, const host_files& host) {
  if (!host.root().empty()) return host.read(fmt::format("/proc/{}/stat", process)).has_value();
  if (process > std::numeric_limits<pid_t>::max()) return false;  // a damaged file may say any number
  return ::kill(static_cast<pid_t>(process), 0) == 0 || errno != ESRCH;
}

// Throws unless the process that the engine names is there.
void require_process(const counters_snapshot& snapshot, const host_files& host) {
  const engine_identity& engine = snapshot.identity;
  if (!is_there(engine.process, host))
    throw stale_file(fmt::format("{}: stale: process {} is gone", engine.path, engine.process));
  const auto stat = host.read(fmt::format("/proc/{}/stat", engine.process));
  if (!stat) return;
  // The second field is a name in brackets, of any characters; the third is the state, a zombie's Z, and the start is
  // the 20th from there.
  constexpr std::size_t start = 19;
  const std::size_t bracket = stat->rfind(')');
  const auto words =
      words_of(std::string_view(*stat).substr(bracket == std::string::npos ? stat->size() : bracket + 1));
  // The other threads of a process may go on after the first one has ended.
  const bool is_zombie = words.empty() || (words[0] == "Z" && snapshot.lock != engine_lock::held);
  if (is_zombie) throw stale_file(fmt::format("{}: stale: process {} is gone", engine.path, engine.process));
  if (engine.process_start == 0 || !engine.same_starts) return;  // there is nothing to compare with
  const auto started = words.size() > start ? number_in(words[start]) : std::nullopt;
  if (!started) throw input_error(fmt::format("/proc/{}/stat: field 22 is missing", engine.process));
  if (static_cast<std::uint64_t>(*started) != engine.process_start) {
    throw stale_file(fmt::format("{}: stale: another process has the id {} by now", engine.path, engine.process));
  }
}

}  // namespace

void require_owner(const counters_snapshot& snapshot, const host_files& host) {
  if (snapshot.ended) return;
  const engine_identity& engine = snapshot.identity;
  const bool is_copy = !host.root().empty();
  if (!is_copy && snapshot.lock == engine_lock::free) {
    if (!engine.same_processes)
      throw stale_file(fmt::format("{}: stale: process {} of another namespace is gone", engine.path, engine.process));
    require_process(snapshot, host);
    throw stale_file(fmt::format("{}: stale: process {} goes on without this engine", engine.path, engine.process));
  }
  const bool knows_process = engine.same_processes && engine.process_namespace != 0;
  if (!is_copy && snapshot.lock == engine_lock::held && !knows_process) return;
  if (!is_copy && !engine.same_processes)
    throw input_error(fmt::format(
        "{}: cannot tell whether its engine lives: the file has no lock, and process {} is of another namespace",
        engine.path, engine.process));
  // Permission to read a file is permission to lock it.
  require_process(snapshot, host);
}

}  // namespace detent::tool
