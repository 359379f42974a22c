// SPDX-License-Identifier: MIT
#include "postgres_server.hpp"

#include <fcntl.h>
#include <grp.h>
#include <libpq-fe.h>
#include <pwd.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <thread>
#include <utility>

namespace detent::test {
namespace {

namespace fs = std::filesystem;

// Returns the folder of the newest server that is installed, or an empty path.
std::string programs() {
  std::string best;
  std::error_code none;
  for (const auto& version : fs::directory_iterator("/usr/lib/postgresql", none)) {
    const fs::path bin = version.path() / "bin";
    if (fs::exists(bin / "initdb", none) && bin.string() > best) best = bin.string();
  }
  return best;
}

// The server refuses to be root's.
const passwd* other_user() { return ::geteuid() == 0 ? ::getpwnam("postgres") : nullptr; }

void become_other_user() {
  const passwd* const its = other_user();
  if (its == nullptr) return;
  if (::initgroups(its->pw_name, its->pw_gid) != 0 || ::setgid(its->pw_gid) != 0 || ::setuid(its->pw_uid) != 0)
    ::_exit(126);
}

}  // namespace

postgres_server::postgres_server(bool is_durable, std::vector<std::string> options) {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  std::string name = "/tmp/detent-postgres-XXXXXX";  // short: a socket's path has 107 bytes at most
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
  directory_ = name;
  if (const passwd* const its = other_user())
    if (::chown(name.c_str(), its->pw_uid, its->pw_gid) != 0) throw std::runtime_error("chown failed");
  const std::string bin = programs();
  if (run({bin + "/initdb", "-D", directory_ + "/data", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-locale",
           "--no-sync"},
          false) != 0)
    throw std::runtime_error("initdb failed: see " + directory_ + "/log");
  options_ = {bin + "/postgres",
              "-D",
              directory_ + "/data",
              "-k",
              directory_,
              "-c",
              "listen_addresses=",
              "-c",
              "max_prepared_transactions=20",
              "-c",
              "max_connections=60",
              "-c",
              "shared_buffers=64MB",
              "-c",
              "recovery_init_sync_method=syncfs",
              "-c",
              "dynamic_shared_memory_type=mmap"};
  if (!is_durable) options_.insert(options_.end(), {"-c", "fsync=off", "-c", "full_page_writes=off"});
  for (const std::string& its : options) options_.insert(options_.end(), {"-c", its});
  start();
}

postgres_server::~postgres_server() {
  kill();
  std::error_code ignored;
  fs::remove_all(directory_, ignored);
}

bool postgres_server::is_installed() {
  static const bool found = !programs().empty() && (::geteuid() != 0 || other_user() != nullptr);
  return found;
}

std::string postgres_server::program(const std::string& name) { return programs() + "/" + name; }

std::string postgres_server::url(const std::string& database) const {
  return "postgresql://postgres@/" + database + "?host=" + directory_;
}

int postgres_server::run(std::vector<std::string> words, bool in_background) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const std::string log = directory_ + "/log";
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("fork failed");
  if (child == 0) {
    become_other_user();
    ::setpgid(0, 0);
    if (in_background) ::prctl(PR_SET_PDEATHSIG, SIGQUIT);  // its children end with it
    const int out = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    const int nothing = ::open("/dev/null", O_RDONLY);
    ::dup2(nothing, 0);
    ::dup2(out, 1);
    ::dup2(out, 2);
    if (::chdir("/") == 0 && ::getppid() == parent) ::execv(argv.front(), argv.data());
    ::_exit(127);
  }
  if (in_background) {
    process_ = child;
    return 0;
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void postgres_server::start() {
  // A server that was killed leaves its lock behind, and its number may be another process's by now.
  std::error_code ignored;
  fs::remove(directory_ + "/data/postmaster.pid", ignored);
  run(options_, true);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  // The socket of a server that was killed may take a connection, and never answer.
  while (PQping((url() + "&connect_timeout=2").c_str()) != PQPING_OK) {
    if (::waitpid(process_, nullptr, WNOHANG) == process_)
      throw std::runtime_error("postgres has ended: see " + directory_ + "/log");
    if (std::chrono::steady_clock::now() > end) throw std::runtime_error("postgres does not answer");
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

void postgres_server::kill() {
  if (process_ == 0) return;
  // Each of them has a group of its own.
  std::vector<pid_t> children;
  std::ifstream list("/proc/" + std::to_string(process_) + "/task/" + std::to_string(process_) + "/children");
  for (pid_t its = 0; list >> its;) children.push_back(its);
  ::kill(process_, SIGKILL);
  for (const pid_t its : children) ::kill(its, SIGKILL);
  ::waitpid(std::exchange(process_, 0), nullptr, 0);
  // They hold the shared memory until they are gone, and are this process's by now.
  for (const pid_t its : children) ::waitpid(its, nullptr, 0);
}

std::string postgres_server::ask(const std::string& sql, const std::string& database) const {
  const std::unique_ptr<PGconn, decltype(&PQfinish)> to(PQconnectdb(url(database).c_str()), &PQfinish);
  if (PQstatus(to.get()) != CONNECTION_OK) throw std::runtime_error(PQerrorMessage(to.get()));
  const std::unique_ptr<PGresult, decltype(&PQclear)> its(PQexec(to.get(), sql.c_str()), &PQclear);
  const ExecStatusType status = PQresultStatus(its.get());
  if (status == PGRES_COMMAND_OK) return "";
  if (status != PGRES_TUPLES_OK) throw std::runtime_error(sql + ": " + PQresultErrorMessage(its.get()));
  return PQntuples(its.get()) == 0 ? "" : PQgetvalue(its.get(), PQntuples(its.get()) - 1, 0);
}

std::string postgres_server::make_database() {
  std::string name = "t" + std::to_string(++databases_);
  ask("create database " + name);
  return name;
}

postgres_server& shared_postgres() {
  static postgres_server its;
  return its;
}

}  // namespace detent::test
