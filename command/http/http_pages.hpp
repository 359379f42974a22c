// SPDX-License-Identifier: MIT
// Requests and answers as texts: cpp-httplib without its sockets, threads and time-outs.
#pragma once
#include <httplib.h>

#include <functional>
#include <optional>
#include <string>

#include "http/access_token.hpp"
#include "http/http_server.hpp"

namespace detent::tool {

class http_pages : private httplib::Server {
 public:
  // Throws input_error where the token file cannot be used.
  explicit http_pages(const http_options& options);

  void add(const std::string& path, std::function<http_answer(const http_query&)> make);
  void set_policy(const std::string& content_policy);
  // To the head of a request, \r\n\r\n included; to one that is cut off: that it was too long.
  std::string answer_to(const std::string& head);

 private:
  // Whether it was refused.
  bool refuses(const httplib::Request& request, httplib::Response& response) const;

  const http_options& options_;
  std::optional<access_token> token_;
};

}  // namespace detent::tool
