// SPDX-License-Identifier: MIT
#include "report/report_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "support/temporary_directory.hpp"
#include "text/input_error.hpp"

namespace detent::tool {
namespace {

std::string content_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

class report_file_in_a_directory : public testing::Test {
 protected:
  std::size_t files() const {
    const auto all = std::filesystem::directory_iterator(directory.path());
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
  }

  test::temporary_directory directory;
};
using ReportFile = report_file_in_a_directory;

TEST_F(ReportFile, LeavesNothingBehindUntilItIsWritten) {
  const report_file report(directory.path() + "/r.html");
  EXPECT_EQ(files(), 0U);
  report.write("page");
  EXPECT_EQ(content_of(directory.path() + "/r.html"), "page");
  EXPECT_EQ(files(), 1U);
}

TEST_F(ReportFile, KeepsTheOldPageUntilTheNewOneIsWhole) {
  const std::string path = directory.write("r.html", "old");
  const report_file report(path);
  EXPECT_EQ(content_of(path), "old");
  report.write("new");
  EXPECT_EQ(content_of(path), "new");
}

TEST_F(ReportFile, RefusesAtOnceWhatCannotBeWritten) {
  EXPECT_THROW(report_file(directory.path() + "/none/r.html"), input_error);
  EXPECT_THROW(report_file(directory.path()), input_error);
  EXPECT_THROW(report_file(directory.path() + "/r.html/"), input_error);
  EXPECT_THROW(report_file(directory.write("file", "") + "/r.html"), input_error);
}

TEST_F(ReportFile, WritesThroughASymbolicLink) {
  const std::string path = directory.write("target.html", "old");
  std::filesystem::create_symlink(path, directory.path() + "/link.html");
  report_file(directory.path() + "/link.html").write("new");
  EXPECT_TRUE(std::filesystem::is_symlink(directory.path() + "/link.html"));
  EXPECT_EQ(content_of(path), "new");
}

TEST_F(ReportFile, WritesToADeviceWithoutReplacingIt) {
  report_file("/dev/null").write("page");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  EXPECT_THROW(report_file("/dev/full").write("page"), input_error);
}

}  // namespace
}  // namespace detent::tool
