// SPDX-License-Identifier: MIT
#include "redis_server.hpp"

#include <fcntl.h>
#include <hiredis/hiredis.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <thread>
#include <utility>

namespace detent::test {

namespace {

std::string said(const redisReply& reply) {
  switch (reply.type) {
    case REDIS_REPLY_INTEGER: return std::to_string(reply.integer);
    case REDIS_REPLY_ERROR: return "-" + std::string(reply.str, reply.len);
    case REDIS_REPLY_NIL: return "";
    case REDIS_REPLY_ARRAY: {
      std::string all;
      for (std::size_t i = 0; i != reply.elements; ++i) all += (i != 0 ? " " : "") + said(*reply.element[i]);
      return all;
    }
    default: return {reply.str, reply.len};
  }
}

std::string program() {
  const char* const named = std::getenv("DETENT_REDIS_SERVER");
  return named != nullptr ? named : "redis-server";
}

}  // namespace

redis_server::redis_server(std::vector<std::string> options, bool keeps)
    : path_(directory_.path() + "/redis.sock"),
      options_({program(), "--port", "0", "--save", "", "--appendonly", keeps ? "yes" : "no", "--appendfsync", "no",
                "--unixsocket", path_, "--dir", directory_.path(), "--logfile", directory_.path() + "/log",
                "--daemonize", "no"}) {
  options_.insert(options_.end(), options.begin(), options.end());
  start();
}

redis_server::redis_server(const sentinel& what) : path_(directory_.path() + "/sentinel.sock") {
  const std::string file = directory_.path() + "/sentinel.conf";  // which it writes itself, too
  std::ofstream to(file);
  to << "port " << what.port << "\nunixsocket " << path_ << "\ndir " << directory_.path() << "\nlogfile "
     << directory_.path() << "/log\n";
  for (const std::string& line : what.lines) to << line << '\n';
  to.close();
  options_ = {program(), file, "--sentinel"};
  start();
}

bool redis_server::is_installed() {
  static const bool found = std::system(("command -v " + program() + " >/dev/null 2>&1").c_str()) == 0;
  return found;
}

void redis_server::start() {
  std::vector<char*> words;
  for (std::string& word : options_) words.push_back(word.data());
  words.push_back(nullptr);
  const pid_t parent = ::getpid();
  process_ = ::fork();
  if (process_ < 0) throw std::runtime_error("fork failed");
  if (process_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int nothing = ::open("/dev/null", O_RDWR);
    ::dup2(nothing, 0);
    ::dup2(nothing, 1);
    if (::getppid() == parent) ::execvp(words.front(), words.data());
    ::_exit(127);
  }
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  for (;;) {
    try {
      const std::string answer = ask("PING");
      if (answer == "PONG" || answer.starts_with("-NOAUTH") || answer.starts_with("-NOPERM")) return;
    } catch (const std::runtime_error&) {  // not yet
    }
    if (::waitpid(process_, nullptr, WNOHANG) == process_)
      throw std::runtime_error(options_.front() + " has ended: " + options_.back());
    if (std::chrono::steady_clock::now() > end) throw std::runtime_error(options_.front() + " does not answer");
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

void redis_server::kill() {
  if (process_ == 0) return;
  ::kill(process_, SIGKILL);
  ::waitpid(std::exchange(process_, 0), nullptr, 0);
}

void redis_server::pause() {
  ::kill(process_, SIGSTOP);
  ::waitpid(process_, nullptr, WUNTRACED);
}

void redis_server::go_on() { ::kill(process_, SIGCONT); }

std::string redis_server::ask(const std::string& command, const std::string& password) const {
  const std::unique_ptr<redisContext, decltype(&redisFree)> to(redisConnectUnix(path_.c_str()), &redisFree);
  if (to == nullptr || to->err != 0) throw std::runtime_error("no connection to redis-server");
  if (!password.empty()) freeReplyObject(redisCommand(to.get(), "AUTH %s", password.c_str()));
  auto* const reply = static_cast<redisReply*>(redisCommand(to.get(), command.c_str()));
  if (reply == nullptr) throw std::runtime_error("no answer of redis-server");
  std::string text = said(*reply);
  freeReplyObject(reply);
  return text;
}

}  // namespace detent::test
