// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <chrono>
#include <string>
#include <utility>

#include "cli/add_host_names.hpp"
#include "cli/add_value.hpp"
#include "cli/command_options.hpp"
#include "http/listen_address.hpp"
#include "text/option_values.hpp"

namespace detent::tool {
namespace {

CLI::Option* add_name(CLI::App& app, const char* name, const char* type, const char* help, std::string& into) {
  return add_value(app, name, type, help, [&into](auto& option, auto& text) {
    if (text.empty()) throw usage_error(fmt::format("{}: '' is no name", option));
    into = text;
  });
}

}  // namespace

void add_options(CLI::App& app, console_command& console) {
  console_options& options = console.options;
  auto* listen =
      add_value(app, "--listen", "ADDR:PORT", "serve the page there; PORT alone: on 127.0.0.1; default 127.0.0.1:9465",
                [&options](auto& name, auto& text) { options.http.at = listen_address_of(name, text); });
  add_name(app, "--socket", "PATH", "serve it at a Unix socket instead, which only this user can open",
           options.http.socket)
      ->excludes(listen);
  add_host_names(app, "also answer requests for this host name",
                 [&options](std::string name) { options.http.names.push_back(std::move(name)); });
  add_name(app, "--token-file", "FILE", "answer only requests that bear the token in FILE, whose mode is 0600",
           options.http.token_file);
  add_name(app, "--counters", "DIR", "the directory of the counters files; default /dev/shm", options.directory);
  add_name(app, "--store", "STORE",
           "also show the durable timers of this store: an SQLite file, or the URL of a Redis or PostgreSQL server",
           options.store);
  add_name(app, "--history", "FILE",
           "keep the last hour in FILE, of at most 15 MB; none: only in memory; default: a file of this user",
           options.history);
  add_value(app, "--keep", "SPAN", "how much to keep, 10min to 24h; default 1h; more of it has coarser steps",
            [&options](auto& name, auto& text) {
              options.keep = signed_span(name, text);
              if (options.keep < std::chrono::minutes(10) || options.keep > std::chrono::hours(24))
                throw usage_error(fmt::format("{}: '{}' is not a span from 10min to 24h", name, text));
            });
}

}  // namespace detent::tool
