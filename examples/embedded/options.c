// SPDX-License-Identifier: MIT
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

static const char usage[] =
    "usage: sensor_hub [OPTION...]\n"
    "\n"
    "Serves sensors over TCP: settles their readings, disconnects the silent, reports.\n"
    "\n"
    "  --port N      listen on 127.0.0.1:N; default 0: a free port, which is printed\n"
    "  --idle MS     disconnect a sensor after so much silence; default 1000\n"
    "  --settle MS   a reading counts once it has not changed for so long; default 20\n"
    "  --report MS   between two lines of the report; default 1000\n"
    "  --help        this text\n";

static _Noreturn void refuse(const char* option, const char* value, const char* wanted) {
  fprintf(stderr, "sensor_hub: --%s %s: not %s\n", option, value, wanted);
  exit(2);
}

static int64_t number(const char* option, const char* text, int64_t least, int64_t most) {
  char* end = NULL;
  errno = 0;
  long long value = strtoll(text, &end, 10);
  if (errno != 0 || end == text || *end != '\0' || value < least || value > most) {
    char wanted[64];
    snprintf(wanted, sizeof wanted, "a number from %lld to %lld", (long long)least, (long long)most);
    refuse(option, text, wanted);
  }
  return value;
}

struct options read_options(int argc, char** argv) {
  enum { hour_ms = 3600 * 1000 };
  static const struct option known[] = {
      {"port", required_argument, NULL, 'p'},   {"idle", required_argument, NULL, 'i'},
      {"settle", required_argument, NULL, 's'}, {"report", required_argument, NULL, 'r'},
      {"help", no_argument, NULL, 'h'},         {NULL, 0, NULL, 0}};
  struct options options = {
      .port = 0, .idle_ns = 1000 * MILLISECOND, .settle_ns = 20 * MILLISECOND, .report_ns = 1000 * MILLISECOND};
  for (int found; (found = getopt_long(argc, argv, "", known, NULL)) != -1;) {
    switch (found) {
      case 'p': options.port = (uint16_t)number("port", optarg, 0, UINT16_MAX); break;
      case 'i': options.idle_ns = number("idle", optarg, 1, hour_ms) * MILLISECOND; break;
      case 's': options.settle_ns = number("settle", optarg, 1, hour_ms) * MILLISECOND; break;
      case 'r': options.report_ns = number("report", optarg, 1, hour_ms) * MILLISECOND; break;
      case 'h': fputs(usage, stdout); exit(0);
      default: exit(2);  // getopt has said why
    }
  }
  if (optind < argc) {
    fprintf(stderr, "sensor_hub: '%s': no such argument; --help lists the options\n", argv[optind]);
    exit(2);
  }
  if (options.settle_ns >= options.idle_ns) refuse("settle", "of that length", "less than --idle");
  return options;
}
