// SPDX-License-Identifier: MIT
#include "doctor/doctor_text.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "host/host_files.hpp"

namespace detent::tool {
namespace {

const finding trouble = {"a CPU", severity::bad, "gone", "/proc/cpus", "nothing runs", "fetch it back"};

TEST(DoctorText, ShowsWhatMattersAtLengthAndTheRestInALine) {
  const std::string text = doctor_text({trouble,
                                        {"clock", severity::unknown, "not visible here", "/sys/clock"},
                                        {"memory", severity::fine, "enough", "/proc/memory"}});
  EXPECT_EQ(text,
            "bad      a CPU\n"
            "         seen   gone\n"
            "         in     /proc/cpus\n"
            "         means  nothing runs\n"
            "         do     fetch it back\n"
            "\n"
            "unknown  clock   not visible here (/sys/clock)\n"
            "fine     memory  enough\n"
            "\n"
            "1 bad, 0 warnings, 0 notes; 1 fine, 1 unknown\n");
}

TEST(DoctorText, KeepsWithinAHundredColumns) {
  finding wordy = trouble;
  for (std::string* text : {&wordy.seen, &wordy.meaning, &wordy.cure}) {
    for (int i = 0; i < 100; ++i) *text += " word" + std::to_string(i * 37);
  }
  finding fine = wordy;
  fine.judged = severity::fine;
  for (const std::string_view line : lines_of(doctor_text({wordy, fine}))) EXPECT_LE(line.size(), 100U) << line;
}

}  // namespace
}  // namespace detent::tool
