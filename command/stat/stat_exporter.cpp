// SPDX-License-Identifier: MIT
#include "stat/stat_exporter.hpp"

#include <unistd.h>

#include <fmt/format.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <utility>

#include "stat/complaint_log.hpp"
#include "stat/prometheus_text.hpp"
#include "stat/stat_command.hpp"
#include "text/input_error.hpp"

namespace detent::tool {
namespace {

constexpr const char* exposition_type = "text/plain; version=0.0.4; charset=utf-8";

http_answer metrics_of(const std::vector<std::string>& targets, series_names& names, complaint_log& log) {
  stat_reading read = read_stat(targets);
  std::string text = prometheus_text(read.engines, names);
  read.complaints.insert(read.complaints.end(), names.complaints().begin(), names.complaints().end());
  log.print_new(read.complaints);
  if (!read.failed || !read.engines.empty()) return {.type = exposition_type, .text = std::move(text)};
  http_answer nothing = {.status = 503, .text = ""};
  for (const std::string& each : read.complaints) nothing.text += each + "\n";
  return nothing;
}

std::string name_of_host() {
  char name[HOST_NAME_MAX + 1] = {};
  return ::gethostname(name, HOST_NAME_MAX) == 0 ? name : "";
}

}  // namespace

void export_stat(const std::vector<std::string>& targets, const http_options& options) {
  if (const stat_reading first = read_stat(targets); first.failed) throw input_error(first.complaints.front());
  http_options own = options;
  if (std::string name = name_of_host(); !name.empty() && !own.at.loopback()) own.names.push_back(std::move(name));
  http_server server(std::move(own));
  series_names names;
  complaint_log log;
  server.add("/metrics", [&](const http_query&) { return metrics_of(targets, names, log); });
  if (std::printf("serving http://%s/metrics\n", server.at().text().c_str()) < 0 || std::fflush(stdout) != 0)
    throw input_error(fmt::format("standard output cannot be written: {}", std::strerror(errno)));
  server.serve();
}

}  // namespace detent::tool
