// SPDX-License-Identifier: MIT
// A sensor hub: sensors connect by TCP and send readings, one on a line. README.md has the protocol.
#include "hub.h"

int main(int argc, char** argv) {
  struct options options = read_options(argc, argv);
  struct hub hub;
  if (!hub_open(&hub, &options)) return 1;
  bool ran = hub_run(&hub);
  return hub_close(&hub) && ran ? 0 : 1;
}
