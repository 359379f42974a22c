// SPDX-License-Identifier: MIT
// Writes a counters file as if the process that runs this program had made it:  counters_sample FILE [LABELS]
// The first label's name has every character that must be escaped somewhere.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "support/counters_image.hpp"

namespace {

using namespace detent::counters_layout;

void fill(detent::test::counters_image& image) {
  image.set(0, counter::scheduled, 1'000);
  image.set(1, counter::scheduled, 234);
  image.set(1, counter::fired, 1'100);
  image.set(1, counter::expired, 1'000);
  image.set(1, counter::started_last, 1'000);
  image.set(0, counter::cancelled, 34);
  image.set(1, counter::cancelled_running, 6);
  image.set(gauge::wakeups, 55);
  image.set(gauge::margin, 61'000);
  image.set(gauge::next_deadline, INT64_MAX);
  image.record(cause::lateness, 250, 1'000);
  image.record(cause::lateness, 2'000'000, 100);
  image.record(cause::wait, 250, 600);
  image.record(cause::worker, 2'000'000, 90);
  image.record(cause::drain, 2'000'000, 10);
  image.record(cause::callback, 1'500, 1'100);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s FILE [LABELS]\n", argv[0]);
    return 2;
  }
  detent::test::counters_image image(::getppid());
  detent::counters_layout::header header = image.header();
  std::strcpy(header.name, "a \"quoted\" back\\slash\nand Größe\xff");
  image.put(header);
  fill(image);
  const int labels = argc > 2 ? std::atoi(argv[2]) : 2;
  for (int i = 0; i < labels; ++i) {
    const std::uint32_t label = image.add_label(i == 0 ? "{le=\"1\"}\\\n\x1b[2J#" : "label " + std::to_string(i));
    image.set(label, label_counter::scheduled, 10);
    image.set(label, label_counter::begun, 10);
    image.set(label, label_counter::over, 3);
    image.set(label, label_counter::fired, 3);
    image.record(label, cause::lateness, 900, 3);
    image.record(label, cause::wait, 900, 2);
  }
  image.write(argv[1]);
  return 0;
}
