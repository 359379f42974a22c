// SPDX-License-Identifier: MIT
#include "console/console_command.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "console/console_json.hpp"
#include "console/console_sampler.hpp"
#include "console/history_place.hpp"
#include "console/stat_pages.hpp"
#include "console/store_prometheus.hpp"
#include "page/console_address.hpp"
#include "page/console_page.hpp"
#include "page/console_script.hpp"
#include "page/console_style.hpp"
#include "text/complaint.hpp"
#include "text/input_error.hpp"
#include "text/option_values.hpp"
#include "text/printable_text.hpp"

namespace detent::tool {
namespace {

constexpr std::chrono::milliseconds longest_end(500);  // for the readings, after that for the answers

void check(const console_options& options) {
  const http_options& http = options.http;
  if (http.socket.empty() && !http.at.loopback() && http.token_file.empty())
    throw usage_error(
        fmt::format("--listen {}: other hosts reach this address, so --token-file is needed; or listen "
                    "on 127.0.0.1 and come by ssh -L",
                    http.at.text()));
  std::error_code trouble;
  if (!std::filesystem::is_directory(options.directory, trouble))
    throw input_error(fmt::format("--counters {}: it is not a directory", in_quotes(options.directory)));
}

void say(const console_options& options, const http_server& server) {
  const std::string where = options.http.socket.empty()
                                ? fmt::format("http://{}/", server.at().text())
                                : fmt::format("the Unix socket {}", printable(options.http.socket));
  if (std::printf("serving %s\n", where.c_str()) < 0 || std::fflush(stdout) != 0)
    throw input_error(fmt::format("standard output cannot be written: {}", std::strerror(errno)));
}

}  // namespace

void run_console(const console_options& options) {
  check(options);
  const bool has_store = !options.store.empty();
  console_sampler::places places;
  if (has_store) {
    places.store = std::make_unique<store_reader>(options.store);
    places.lookups = std::make_unique<store_lookups>(options.store);
  }
  // Made before any thread starts, because threads inherit the mask that holds back the ending signals.
  std::optional<http_server> server(std::in_place, options.http);
  opened_history history = open_history(options.history, options.keep);
  if (!history.note.empty()) complain(history.note);
  places.file = std::move(history.file);
  places.note = std::move(history.note);
  console_sampler sampler(options.directory, std::move(places), options.keep);
  stat_pages stat(options.directory);

  server->allow_own_content();
  server->add("/", [&](const http_query& query) {
    const std::shared_ptr<const console_view> view = sampler.view();
    const console_query shown = page_query_of(query);
    console_lookup found = sampler.look_up(shown.find, shown.key, shown.partition);
    if (shown.is_long) found.long_samples = sampler.long_samples(shown_id(*view, shown));
    return http_answer{.status = 200, .type = "text/html; charset=utf-8", .text = page_of(*view, shown, found)};
  });
  server->add("/console.css", [](const http_query&) {
    return http_answer{.status = 200, .type = "text/css; charset=utf-8", .text = console_style()};
  });
  server->add("/console.js", [](const http_query&) {
    return http_answer{.status = 200, .type = "text/javascript; charset=utf-8", .text = std::string(console_script())};
  });
  const auto counted = [&](const char* type, const std::string& text) {
    if (!stat.trouble().empty()) return http_answer{.status = 503, .text = stat.trouble()};
    return http_answer{.status = 200, .type = type, .text = text};
  };
  server->add("/metrics", [&](const http_query&) {
    return counted("text/plain; version=0.0.4; charset=utf-8",
                   stat.prometheus() + (has_store ? prometheus_text(*sampler.view()->store) : ""));
  });
  server->add("/api/stat.json", [&](const http_query&) { return counted("application/json", stat.json()); });
  if (has_store) {
    server->add("/api/durable.json", [&](const http_query&) {
      return http_answer{.status = 200, .type = "application/json", .text = json_of(*sampler.view()->store)};
    });
  }
  // At a limit on file size, a write is to fail instead of ending the console.
  std::signal(SIGXFSZ, SIG_IGN);
  say(options, *server);
  server->serve();
  if (sampler.stop(longest_end)) return;
  // A store that hangs keeps its thread. That thread cannot be ended, and it uses what exit() would destroy.
  server.reset();
  std::_Exit(EXIT_SUCCESS);
}

}  // namespace detent::tool
