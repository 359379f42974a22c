// SPDX-License-Identifier: MIT
#pragma once
#include <csignal>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "http/listen_address.hpp"

namespace detent::tool {

struct http_answer {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string text;
};

struct http_options {
  listen_address at;
  std::vector<std::string> names;  // of this host, beside localhost; a request for another one is refused (421)
};

// Pages over HTTP/1.1, for GET and HEAD; any other method is refused (405). At most 16 connections at a time, each for
// one request and for no longer than 10 s: others wait in the kernel's queue.
class http_server {
 public:
  // Binds, and holds back SIGINT and SIGTERM in this thread. Throws input_error that names the address, also where the
  // command was built without an HTTP library.
  explicit http_server(http_options options);
  ~http_server();
  http_server(const http_server&) = delete;
  http_server& operator=(const http_server&) = delete;

  // `make` is called for each request, by several threads at once. What it throws is answered with 500.
  void add(const std::string& path, std::function<http_answer()> make);
  const listen_address& at() const { return options_.at; }  // with the port that it has got
  // Until SIGINT or SIGTERM comes. Throws input_error where the socket fails before.
  void serve();

 private:
  class library;

  http_options options_;
  [[maybe_unused]] sigset_t earlier_ = {};  // of this thread; a build without the library has no use for it
  std::unique_ptr<library> library_;
};

}  // namespace detent::tool
