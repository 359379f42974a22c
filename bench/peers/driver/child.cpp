// SPDX-License-Identifier: MIT
#include "child.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <thread>

namespace peers {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::seconds time_to_quit(3);

[[noreturn]] void fail(const std::string& what) { throw child_failed(what + ": " + std::strerror(errno)); }

// Runs in the new process until it becomes the command. Makes only async-signal-safe calls.
[[noreturn]] void become(const char* command, int input, int output) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  dup2(input, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  execl("/bin/sh", "sh", "-c", command, nullptr);
  _exit(127);
}

}  // namespace

child::child(const std::string& command, std::chrono::seconds patience) : patience_(patience) {
  start(command);
  try {
    introduction_ = read_line();
  } catch (...) {
    end();
    throw;
  }
}

child::~child() { end(); }

void child::start(const std::string& command) {
  const std::string replacing_the_shell = "exec " + command;
  std::array<int, 2> to{}, from{};
  if (pipe2(to.data(), O_CLOEXEC) != 0 || pipe2(from.data(), O_CLOEXEC) != 0) fail("pipe");
  process_ = fork();
  if (process_ < 0) fail("fork");
  if (process_ == 0) become(replacing_the_shell.c_str(), to[0], from[1]);
  setpgid(process_, process_);  // here too, because either process may come first
  ::close(to[0]);
  ::close(from[1]);
  to_ = to[1];
  from_ = from[0];
}

nlohmann::ordered_json child::ask(const std::string& request) {
  const std::string line = request + "\n";
  if (write(to_, line.data(), line.size()) != static_cast<ssize_t>(line.size())) fail("it does not listen");
  return read_line();
}

void child::pause() { kill(-process_, SIGSTOP); }
void child::resume() { kill(-process_, SIGCONT); }

nlohmann::ordered_json child::read_line() {
  const auto until = steady_clock::now() + patience_;
  std::size_t end;
  while ((end = unread_.find('\n')) == std::string::npos) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - steady_clock::now());
    pollfd readable{.fd = from_, .events = POLLIN, .revents = 0};
    const int ready = left.count() > 0 ? poll(&readable, 1, static_cast<int>(left.count())) : 0;
    if (ready < 0 && errno == EINTR) continue;
    if (ready < 0) fail("poll");
    if (ready == 0) throw child_failed("no answer within " + std::to_string(patience_.count()) + " s");
    std::array<char, 4096> piece;
    const ssize_t size = read(from_, piece.data(), piece.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) fail("read");
    if (size == 0) throw child_failed("it ended without an answer");
    unread_.append(piece.data(), static_cast<std::size_t>(size));
  }
  const std::string line = unread_.substr(0, end);
  unread_.erase(0, end + 1);
  nlohmann::ordered_json said = nlohmann::ordered_json::parse(line, nullptr, false);
  if (!said.is_object()) throw child_failed("it said what is not a JSON object: " + line.substr(0, 80));
  return said;
}

void child::end() {
  if (process_ < 0) return;
  resume();
  ::close(to_);  // it quits at the end of its input
  const auto until = steady_clock::now() + time_to_quit;
  while (waitpid(process_, nullptr, WNOHANG) == 0) {
    if (steady_clock::now() > until) {
      kill(-process_, SIGKILL);
      waitpid(process_, nullptr, 0);
      break;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  ::close(from_);
  process_ = -1;
}

}  // namespace peers
