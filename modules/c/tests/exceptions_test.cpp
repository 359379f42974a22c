// SPDX-License-Identifier: MIT
// Exceptions stay on their side of the C interface.
#include <detent/detent.h>

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace {

static_assert(noexcept(std::declval<int (*)(const char**) noexcept>()(nullptr)));

struct engine_owner {
  engine_owner() {
    detent_options options;
    detent_options_init(&options);
    options.drive = DETENT_DRIVE_CALLER;
    options.name = "throwing";
    engine = detent_engine_create(&options, nullptr, 0);
  }
  ~engine_owner() { detent_engine_destroy(engine); }
  detent_engine* engine;
};

TEST(CInterface, ReportsWhatACallbackThrowsAndGoesOn) {
  engine_owner e;
  int ran = 0;
  detent_schedule_after(
      e.engine, 0, [](void*) { throw std::runtime_error("from afar"); }, nullptr);
  detent_schedule_after(
      e.engine, 0, [](void* context) { ++*static_cast<int*>(context); }, &ran);
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(detent_poll(e.engine, SIZE_MAX), 2u);
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("throwing"), std::string::npos);
  EXPECT_NE(said.find("from afar"), std::string::npos);
  EXPECT_EQ(ran, 1);
  detent_metrics seen;
  ASSERT_EQ(detent_read_metrics(e.engine, &seen), 0);
  EXPECT_EQ(seen.failed, 1u);
}

TEST(CInterface, TurnsWhatNoEngineCanHaveIntoAnError) {
  detent_options options;
  detent_options_init(&options);
  char why[200] = "";
  options.reserve = SIZE_MAX / 256;  // no machine has it
  EXPECT_EQ(detent_engine_create(&options, why, sizeof(why)), nullptr);
  EXPECT_NE(detent_last_error(nullptr), DETENT_ERROR_NONE);
  EXPECT_STRNE(why, "");
}

}  // namespace
