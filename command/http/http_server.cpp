// SPDX-License-Identifier: MIT
#include "http/http_server.hpp"

#include <sys/socket.h>

#include <fmt/format.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>
#include <exception>
#include <future>
#include <regex>
#include <thread>
#include <utility>

#include "http/connection_limits.hpp"
#include "text/input_error.hpp"

namespace detent::tool {
namespace {

using std::chrono::seconds;

constexpr seconds longest_silence(2), longest_connection(10);
constexpr std::time_t longest_silence_seconds = longest_silence.count();

sigset_t ending_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  return signals;
}

void refuse(httplib::Response& response, int status, const std::string& why) {
  response.status = status;
  response.set_content(why + "\n", "text/plain; charset=utf-8");
}

std::string regex_of(const std::string& path) {
  return std::regex_replace(path, std::regex(R"([.^$|()\[\]{}*+?\\])"), R"(\$&)");
}

}  // namespace

class http_server::library {
 public:
  explicit library(const http_options& options);

  httplib::Server server;
  int bind_problem = 0;  // of errno

 private:
  httplib::Server::HandlerResponse check(const httplib::Request& request, httplib::Response& response) const;

  const http_options& options_;
};

http_server::library::library(const http_options& options) : options_(options) {
  server.new_task_queue = [] { return new connection_pool; };
  // Not SO_REUSEPORT, the library's choice: two servers on one port would each get half of the requests.
  server.set_socket_options([](auto socket) {
    const int yes = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  });
  server.set_keep_alive_max_count(1);
  server.set_read_timeout(longest_silence_seconds);
  server.set_write_timeout(longest_silence_seconds);
  server.set_default_headers({{"Cache-Control", "no-store"}, {"X-Content-Type-Options", "nosniff"}});
  server.set_pre_routing_handler([this](const auto& request, auto& response) { return check(request, response); });
  server.set_exception_handler([](const auto&, auto& response, const std::exception_ptr& trouble) {
    try {
      std::rethrow_exception(trouble);
    } catch (const std::exception& what) {
      refuse(response, 500, what.what());
    }
  });
  server.set_error_handler([](const auto&, auto& response) {
    if (!response.body.empty()) return;
    refuse(response, response.status, response.status == 404 ? "no such page" : "the request cannot be understood");
  });
}

httplib::Server::HandlerResponse http_server::library::check(const httplib::Request& request,
                                                             httplib::Response& response) const {
  using result = httplib::Server::HandlerResponse;
  if (request.get_header_value_count("Host") != 1) {
    refuse(response, 400, "one Host field is needed");
    return result::Handled;
  }
  if (!is_own_host(request.get_header_value("Host"), options_.at, options_.names)) {
    refuse(response, 421, "this server has another name; --host NAME adds one");
    return result::Handled;
  }
  if (request.method != "GET" && request.method != "HEAD") {
    response.set_header("Allow", "GET, HEAD");
    refuse(response, 405, "only GET and HEAD are allowed");
    return result::Handled;
  }
  return result::Unhandled;
}

http_server::http_server(http_options options)
    : options_(std::move(options)), library_(std::make_unique<library>(options_)) {
  httplib::Server& server = library_->server;
  errno = 0;
  const int wanted = options_.at.port;
  const int port = wanted == 0                                     ? server.bind_to_any_port(options_.at.host)
                   : server.bind_to_port(options_.at.host, wanted) ? wanted
                                                                   : -1;
  if (port <= 0) {
    const int problem = errno;
    throw input_error(fmt::format("--listen {}: {}", options_.at.text(),
                                  problem == 0 ? "the address cannot be used" : std::strerror(problem)));
  }
  options_.at.port = port;
  const sigset_t signals = ending_signals();
  pthread_sigmask(SIG_BLOCK, &signals, &earlier_);
}

http_server::~http_server() { pthread_sigmask(SIG_SETMASK, &earlier_, nullptr); }

void http_server::add(const std::string& path, std::function<http_answer()> make) {
  library_->server.Get(regex_of(path), [make = std::move(make)](const auto&, auto& response) {
    http_answer answer = make();
    response.status = answer.status;
    response.set_content(std::move(answer.text), answer.type);
  });
}

void http_server::serve() {
  httplib::Server& server = library_->server;
  std::future<bool> served = std::async(std::launch::async, [&server] { return server.listen_after_bind(); });
  const auto ended = [&served](std::chrono::milliseconds within) {
    return served.wait_for(within) == std::future_status::ready;
  };
  while (!server.is_running() && !ended(std::chrono::milliseconds(1))) {
  }
  const sigset_t signals = ending_signals();
  connection_sweep connections(options_.at.port);
  constexpr timespec between = {.tv_sec = 1, .tv_nsec = 0};
  while (sigtimedwait(&signals, nullptr, &between) < 0) {
    if (ended({})) throw input_error(fmt::format("--listen {}: the socket has failed", options_.at.text()));
    connections.end_older_than(longest_connection);
  }
  server.stop();
  // What is being answered may end; a client that does not read its answer may not hold up the end.
  for (auto left = longest_silence; !ended(seconds(1)); --left)
    connections.end_older_than(left > seconds(0) ? longest_connection : seconds(0));
}

}  // namespace detent::tool
