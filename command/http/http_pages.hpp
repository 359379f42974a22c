// SPDX-License-Identifier: MIT
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/access_token.hpp"
#include "http/http_request.hpp"
#include "http/listen_address.hpp"

namespace detent::tool {

struct http_answer {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string text;
};

struct http_options {
  listen_address at;
  std::string socket = {};              // path of a Unix socket, instead of `at`; or empty
  std::vector<std::string> names = {};  // of this host besides localhost; requests for other hosts are refused (421)
  std::string token_file = {};          // requests must have the token in this file, or are refused (401); or empty
};

// The pages of a server. It decides who gets them and writes each answer as text, compressed for clients that accept
// gzip.
class http_pages {
 public:
  using page = std::function<http_answer(const http_query&)>;

  // Keeps the reference. Throws input_error if the token file cannot be used.
  explicit http_pages(const http_options& options);

  void add(const std::string& path, page make) { pages_[path] = std::move(make); }
  void set_policy(std::string content_policy) { policy_ = std::move(content_policy); }
  // Answers the head of a request, including \r\n\r\n. A head without it was too long. If a page throws an exception,
  // the answer has status 500.
  std::string answer_to(std::string_view head) const;

 private:
  http_answer answer(const http_request& request) const;
  http_answer page_at(const std::string& path, const http_query& query) const;
  std::string text_of(const http_answer& answer, const http_request* request) const;

  const http_options& options_;
  std::optional<access_token> token_;
  std::map<std::string, page> pages_;
  std::string policy_ = "default-src 'none'; frame-ancestors 'none'";
};

}  // namespace detent::tool
