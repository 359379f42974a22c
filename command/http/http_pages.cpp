// SPDX-License-Identifier: MIT
#include "http/http_pages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <regex>
#include <string_view>
#include <utility>

#include "http/request_head.hpp"

namespace detent::tool {
namespace {

// What the library reads is the head, and what it writes the answer.
class text_stream final : public httplib::Stream {
 public:
  explicit text_stream(std::string_view head) : head_(head) {}

  std::string take_answer() { return std::move(answer_); }

  // NOLINTBEGIN(modernize-use-override): which of them the library asks for depends on its version
  bool is_readable() const { return !head_.empty(); }
  bool is_writable() const { return true; }
  bool wait_readable() const { return is_readable(); }
  bool wait_writable() const { return true; }
  time_t duration() const { return 0; }
  using Stream::write;
  ssize_t read(char* into, size_t most) {
    const std::size_t bytes = std::min(most, head_.size());
    std::memcpy(into, head_.data(), bytes);
    head_.remove_prefix(bytes);
    return static_cast<ssize_t>(bytes);
  }
  ssize_t write(const char* from, size_t bytes) {
    answer_.append(from, bytes);
    return static_cast<ssize_t>(bytes);
  }
  void get_remote_ip_and_port(std::string&, int&) const {}
  void get_local_ip_and_port(std::string&, int&) const {}
  socket_t socket() const { return -1; }
  // NOLINTEND(modernize-use-override)

 private:
  std::string_view head_;
  std::string answer_;
};

void refuse(httplib::Response& response, int status, const std::string& why) {
  response.status = status;
  response.set_content(why + "\n", "text/plain; charset=utf-8");
}

std::string regex_of(const std::string& path) {
  return std::regex_replace(path, std::regex(R"([.^$|()\[\]{}*+?\\])"), R"(\$&)");
}

bool has_body(const httplib::Request& request) {
  if (request.has_header("Transfer-Encoding")) return true;
  const auto [first, last] = request.headers.equal_range("Content-Length");
  const auto is_zero = [](const auto& field) {
    return !field.second.empty() && field.second.find_first_not_of('0') == std::string::npos;
  };
  return !std::all_of(first, last, is_zero);
}

}  // namespace

http_pages::http_pages(const http_options& options) : options_(options) {
  if (!options.token_file.empty()) token_.emplace("--token-file", options.token_file);
  set_policy("default-src 'none'; frame-ancestors 'none'");
  set_pre_routing_handler([this](const auto& request, auto& response) {
    return refuses(request, response) ? HandlerResponse::Handled : HandlerResponse::Unhandled;
  });
  set_expect_100_continue_handler([this](const auto& request, auto& response) {
    if (!refuses(request, response)) refuse(response, 400, "there is nothing to continue with");
    return response.status;
  });
  set_exception_handler([](const auto&, auto& response, const std::exception_ptr& trouble) {
    try {
      std::rethrow_exception(trouble);
    } catch (const std::exception& what) {
      refuse(response, 500, what.what());
    }
  });
  set_error_handler([](const auto&, auto& response) {
    if (!response.body.empty()) return;
    refuse(response, response.status, response.status == 404 ? "no such page" : "the request cannot be understood");
  });
}

void http_pages::set_policy(const std::string& content_policy) {
  set_default_headers({{"Accept-Ranges", "none"},
                       {"Cache-Control", "no-store"},
                       {"Content-Security-Policy", content_policy},
                       {"Cross-Origin-Resource-Policy", "same-origin"},
                       {"Referrer-Policy", "no-referrer"},
                       {"X-Content-Type-Options", "nosniff"}});
}

bool http_pages::refuses(const httplib::Request& request, httplib::Response& response) const {
  if (request.get_header_value_count("Host") != 1) {
    refuse(response, 400, "one Host field is needed");
  } else if (!is_own_host(request.get_header_value("Host"), options_.at, options_.names)) {
    refuse(response, 421, "this server has another name; --host NAME adds one");
  } else if (token_ && (request.get_header_value_count("Authorization") != 1 ||
                        !token_->admits(request.get_header_value("Authorization")))) {
    response.set_header("WWW-Authenticate", "Bearer realm=\"detent\"");
    refuse(response, 401, "the token of --token-file is needed: Authorization: Bearer TOKEN");
  } else if (request.method != "GET" && request.method != "HEAD") {
    response.set_header("Allow", "GET, HEAD");
    refuse(response, 405, "only GET and HEAD are allowed");
  } else if (has_body(request)) {
    refuse(response, 413, "a request has no body here");
  } else {
    return false;
  }
  return true;
}

void http_pages::add(const std::string& path, std::function<http_answer(const http_query&)> make) {
  Get(regex_of(path), [make = std::move(make)](const auto& request, auto& response) {
    http_answer answer = make(http_query(request.params.begin(), request.params.end()));
    response.status = answer.status;
    response.set_content(std::move(answer.text), answer.type);
  });
}

std::string http_pages::answer_to(const std::string& head) {
  const auto refusal = [](const char* status) {
    return fmt::format("HTTP/1.1 {}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n", status);
  };
  if (!head.ends_with("\r\n\r\n")) return refusal("431 Request Header Fields Too Large");
  if (!is_well_formed(head)) return refusal("400 Bad Request");
  // From 0.17 on it is given the addresses of the connection, which nothing here asks for.
  const auto process = [](auto& self, auto& from, bool& closed) {
    if constexpr (requires { self.process_request(from, true, closed, nullptr); })
      self.process_request(from, true, closed, nullptr);
    else
      self.process_request(from, "", 0, "", 0, true, closed, nullptr);
  };
  const std::string asked = simplified(head);
  text_stream stream(asked);
  bool closed = false;
  process(*this, stream, closed);
  return stream.take_answer();
}

}  // namespace detent::tool
