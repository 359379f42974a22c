// SPDX-License-Identifier: MIT
#include "counters/counters_search.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
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

// Reads the parts of a file name detent.PID.NUMBER.
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

// An engine gives its file such a name until it is complete.
bool is_hidden(const std::filesystem::path& path) { return path.filename().string().starts_with('.'); }

// Calls `take` with the path of each entry. Throws input_error if the directory exists and may not be listed.
template <class Take>
void each_entry(const std::string& directory, Take take) {
  std::error_code trouble;
  const std::filesystem::directory_iterator end;
  for (std::filesystem::directory_iterator at(directory, trouble); !trouble && at != end; at.increment(trouble))
    take(at->path());
  if (trouble && trouble != std::errc::no_such_file_or_directory)
    throw input_error(fmt::format("{}: cannot be listed: {}", printable(directory), trouble.message()));
}

std::vector<own_file> own_files(const std::string& directory) {
  std::vector<own_file> files;
  each_entry(directory, [&](const std::filesystem::path& path) {
    if (auto file = named(path)) files.push_back(std::move(*file));
  });
  std::sort(files.begin(), files.end());
  return files;
}

// Returns the files that the process has mapped shared and for writing, as an engine maps its counters. Throws
// input_error if this user may not know.
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

// Returns whether the file begins like one. Others may put any kind of file into the directory, so it waits for
// nothing.
bool is_counters_file(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (file < 0) return false;
  struct stat status = {};
  char magic[sizeof counters_layout::magic] = {};
  const bool is_one = ::fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
                      ::read(file, magic, sizeof magic) == sizeof magic &&
                      std::equal(std::begin(magic), std::end(magic), counters_layout::magic);
  ::close(file);
  return is_one;
}

}  // namespace

std::vector<std::string> automatic_files_of_host(const std::string& directory) {
  std::vector<std::string> paths;
  for (own_file& file : own_files(directory)) paths.push_back(std::move(file.path));
  return paths;
}

std::vector<std::string> counters_files_of_host(const std::string& directory) {
  std::vector<std::string> paths = automatic_files_of_host(directory), others;
  each_entry(directory, [&](const std::filesystem::path& path) {
    if (others.size() < most_files_of_host && !named(path) && !is_hidden(path) && is_counters_file(path.string()))
      others.push_back(path.string());
  });
  std::ranges::sort(others);
  std::ranges::move(others, std::back_inserter(paths));
  return paths;
}

std::vector<std::string> counters_files_of(std::int64_t process, const std::string& directory) {
  std::vector<std::string> paths;
  std::optional<input_error> unseen;  // the reason why a place may have more
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

// Returns whether there is a process with that id. /proc may hide those of other users.
bool is_there(std::int64_t process, const host_files& host) {
  if (!host.root().empty()) return host.read(fmt::format("/proc/{}/stat", process)).has_value();
  if (process > std::numeric_limits<pid_t>::max()) return false;  // a damaged file may say any number
  return ::kill(static_cast<pid_t>(process), 0) == 0 || errno != ESRCH;
}

std::string is_gone(std::int64_t process) { return fmt::format("process {} is gone", process); }

// Says why the process that the engine names is not there, or returns an empty text if it is.
std::string absence_of_process(const counters_snapshot& snapshot, const host_files& host) {
  const engine_identity& engine = snapshot.identity;
  if (!is_there(engine.process, host)) return is_gone(engine.process);
  const auto stat = host.read(fmt::format("/proc/{}/stat", engine.process));
  if (!stat) return "";
  // The second field is a name in brackets, with any characters. The third is the state, Z for a zombie, and the start
  // time is the 20th field from there.
  constexpr std::size_t start = 19;
  const std::size_t bracket = stat->rfind(')');
  const auto words =
      words_of(std::string_view(*stat).substr(bracket == std::string::npos ? stat->size() : bracket + 1));
  // A process's other threads may continue after the first one has ended.
  const bool is_zombie = words.empty() || (words[0] == "Z" && snapshot.lock != engine_lock::held);
  if (is_zombie) return is_gone(engine.process);
  if (engine.process_start == 0 || !engine.same_starts) return "";  // nothing to compare with
  const auto started = words.size() > start ? number_in(words[start]) : std::nullopt;
  if (!started) throw input_error(fmt::format("/proc/{}/stat: field 22 is missing", engine.process));
  if (static_cast<std::uint64_t>(*started) != engine.process_start)
    return fmt::format("another process has the id {} by now", engine.process);
  return "";
}

}  // namespace

std::string absence_of_owner(const counters_snapshot& snapshot, const host_files& host) {
  if (snapshot.ended) return "";
  const engine_identity& engine = snapshot.identity;
  const bool is_copy = !host.root().empty();
  if (!is_copy && snapshot.lock == engine_lock::free) {
    if (!engine.same_processes) return fmt::format("process {} of another namespace is gone", engine.process);
    const std::string absence = absence_of_process(snapshot, host);
    return absence.empty() ? fmt::format("process {} continues without this engine", engine.process) : absence;
  }
  const bool knows_process = engine.same_processes && engine.process_namespace != 0;
  if (!is_copy && snapshot.lock == engine_lock::held && !knows_process) return "";
  if (!is_copy && !engine.same_processes)
    throw input_error(fmt::format(
        "{}: cannot tell whether its engine lives: the file has no lock, and process {} is of another namespace",
        engine.path, engine.process));
  // Permission to read a file is permission to lock it.
  return absence_of_process(snapshot, host);
}

void require_owner(const counters_snapshot& snapshot, const host_files& host) {
  if (const std::string absence = absence_of_owner(snapshot, host); !absence.empty())
    throw stale_file(fmt::format("{}: stale: {}", snapshot.identity.path, absence));
}

}  // namespace detent::tool
