// SPDX-License-Identifier: MIT
#include "platform/cpu_latency.hpp"

#include <detent/error.hpp>

#include "support/latency_device.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>
#include <string>
#include <vector>

namespace detent::detail {
namespace {

using namespace std::chrono_literals;
using test::latency_device;
using values = std::vector<std::int32_t>;

TEST(CpuLatency, IsWrittenInWholeMicrosecondsOnlyWhereItChanges) {
  const latency_device device;
  cpu_latency_request request;
  ASSERT_EQ(request.open(2'999ns, device.path().c_str()), 0);
  EXPECT_FALSE(request.is_held());
  request.release();
  EXPECT_EQ(device.written(), values{});
  request.hold();
  request.hold();
  EXPECT_TRUE(request.is_held());
  request.release();
  request.hold();
  EXPECT_EQ(device.written(), (values{2, latency_device::no_limit, 2}));
}

TEST(CpuLatency, IsReleasedBeforeTheDescriptorIsClosed) {
  const latency_device device;
  {
    cpu_latency_request request;
    ASSERT_EQ(request.open(0ns, device.path().c_str()), 0);
    request.hold();
  }
  EXPECT_EQ(device.written(), (values{0, latency_device::no_limit}));
}

// The write of an open device does not fail; were it to, the next call would try again.
TEST(CpuLatency, IsNotTakenForHeldWhereTheWriteFails) {
  cpu_latency_request request;
  ASSERT_EQ(request.open(1us, "/dev/full"), 0);
  request.hold();
  EXPECT_FALSE(request.is_held());
}

TEST(CpuLatency, SaysWhyThereIsNoDeviceAndWhatToDo) {
  cpu_latency_request request;
  EXPECT_EQ(request.open(1us, "/dev/null/none"), ENOTDIR);
  EXPECT_FALSE(request.is_open());
  EXPECT_EQ(
      explain_cpu_latency(20us, "/dev/x", EACCES),
      "cpu_latency_limit = 20000 ns: /dev/x: Permission denied; run as root, or let the user write to it, by a udev "
      "rule or setfacl -m u:USER:w");
  EXPECT_EQ(explain_cpu_latency(0us, "/dev/x", ENOENT),
            "cpu_latency_limit = 0 ns: /dev/x: No such file or directory; a container needs --device /dev/x, a kernel "
            "CONFIG_CPU_IDLE");
  EXPECT_EQ(explain_cpu_latency(0us, "/dev/x", EMFILE), "cpu_latency_limit = 0 ns: /dev/x: " + explain(EMFILE));
}

}  // namespace
}  // namespace detent::detail
