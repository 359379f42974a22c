// SPDX-License-Identifier: MIT
#include "replay/trace_reader.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <limits>
#include <string>
#include <vector>

#include "support/temporary_directory.hpp"
#include "text/input_error.hpp"

namespace detent::tool {
namespace {

const std::string header_line = std::string(trace_reader::header) + "\n";

std::string gzipped(const std::string& text) {
  z_stream stream = {};
  EXPECT_EQ(deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&stream, text.size()), '\0');
  std::string in = text;
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

class trace_reader_on_made_up_files : public testing::Test {
 protected:
  std::vector<trace_row> rows_of(const std::string& content) {
    trace_reader reader(directory.write("trace.csv", content));
    std::vector<trace_row> rows;
    for (trace_row row; reader.next(row);) rows.push_back(row);
    return rows;
  }

  // What the reader says of the file, without the directory.
  std::string complaint(const std::string& content) {
    try {
      static_cast<void>(rows_of(content));
    } catch (const input_error& trouble) {
      const std::string text = trouble.what();
      EXPECT_EQ(text.find('\n'), std::string::npos) << text;
      EXPECT_EQ(text.find(directory.path() + "/"), 0U) << text;
      return text.substr(directory.path().size() + 1);
    }
    return "accepted";
  }

  std::string complaint_about_row(const std::string& row) { return complaint(header_line + row); }

  test::temporary_directory directory;
};
using TraceReader = trace_reader_on_made_up_files;

TEST_F(TraceReader, ReadsEachOperationAsWritten) {
  const auto rows = rows_of(header_line + "1,S,7,5,tcp\n1,R,7,0,\n2,C,7,,\n3,X,8,,\n");
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[0].t_ns, 1U);
  EXPECT_EQ(rows[0].op, trace_op::schedule);
  EXPECT_EQ(rows[0].id, 7U);
  EXPECT_EQ(rows[0].delay_ns, 5U);
  EXPECT_EQ(rows[1].op, trace_op::restart);
  EXPECT_EQ(rows[2].op, trace_op::cancel);
  EXPECT_EQ(rows[2].delay_ns, 0U);
  EXPECT_EQ(rows[3].op, trace_op::expired);
}

TEST_F(TraceReader, AcceptsTheHeaderAlone) {
  EXPECT_TRUE(rows_of(header_line).empty());
  EXPECT_TRUE(rows_of(std::string(trace_reader::header)).empty());
}

TEST_F(TraceReader, AcceptsCarriageReturnsAndAMissingLastNewline) {
  EXPECT_EQ(rows_of("t_ns,op,id,delay_ns,source\r\n1,S,2,3,x\r\n4,C,2,,").size(), 2U);
}

TEST_F(TraceReader, AcceptsTheLargestNumbers) {
  const auto rows = rows_of(header_line + "18446744073709551615,S,18446744073709551615,18446744073709551615,x\n");
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].t_ns, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(rows[0].id, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(deadline_of(rows[0]), end_of_time);
}

TEST_F(TraceReader, ReadsGzipInOneMemberOrSeveral) {
  const std::string first = gzipped(header_line + "1,S,2,3,x\n"), second = gzipped("4,C,2,,\n");
  EXPECT_EQ(rows_of(first).size(), 1U);
  EXPECT_EQ(rows_of(first + second).size(), 2U);
}

TEST_F(TraceReader, RefusesAnEmptyFile) {
  EXPECT_TRUE(complaint("").starts_with("trace.csv:1: field 't_ns': the file is empty"));
  EXPECT_TRUE(complaint(gzipped("")).starts_with("trace.csv:1: field 't_ns': the file is empty"));
}

TEST_F(TraceReader, RefusesAnotherHeader) {
  EXPECT_TRUE(complaint("1,S,2,3,x\n").starts_with("trace.csv:1: field 't_ns': the first line must be the header"));
  EXPECT_TRUE(complaint("t_ns,op,timer,delay_ns,source\n").starts_with("trace.csv:1: field 'id': "));
}

TEST_F(TraceReader, RefusesAFileThatCannotBeOpened) {
  EXPECT_THROW(trace_reader(directory.path() + "/none.csv"), input_error);
}

TEST_F(TraceReader, NamesTheFieldThatIsNoNumber) {
  EXPECT_EQ(complaint_about_row("x,S,2,3,x\n"), "trace.csv:2: field 't_ns': 'x' is not a whole number");
  EXPECT_EQ(complaint_about_row("1,S,2x,3,x\n"), "trace.csv:2: field 'id': '2x' is not a whole number");
  EXPECT_EQ(complaint_about_row("1,S,2,3.5,x\n"), "trace.csv:2: field 'delay_ns': '3.5' is not a whole number");
  EXPECT_EQ(complaint_about_row("1,S,2, 3,x\n"), "trace.csv:2: field 'delay_ns': ' 3' is not a whole number");
  EXPECT_EQ(complaint_about_row("1,S,,3,x\n"), "trace.csv:2: field 'id': is empty where a number must stand");
}

TEST_F(TraceReader, RefusesNegativeNumbers) {
  EXPECT_EQ(complaint_about_row("-1,S,2,3,x\n"), "trace.csv:2: field 't_ns': '-1' is negative");
  EXPECT_EQ(complaint_about_row("1,S,-2,3,x\n"), "trace.csv:2: field 'id': '-2' is negative");
  EXPECT_EQ(complaint_about_row("1,S,2,-3,x\n"), "trace.csv:2: field 'delay_ns': '-3' is negative");
}

TEST_F(TraceReader, RefusesNumbersPastSixtyFourBits) {
  EXPECT_TRUE(complaint_about_row("18446744073709551616,S,2,3,x\n").starts_with("trace.csv:2: field 't_ns': "));
  EXPECT_TRUE(complaint_about_row("1,S,2,99999999999999999999,x\n").starts_with("trace.csv:2: field 'delay_ns': "));
}

TEST_F(TraceReader, RefusesTimeThatRunsBackwards) {
  EXPECT_EQ(complaint_about_row("5,S,2,3,x\n5,C,2,,\n4,C,2,,\n"),
            "trace.csv:4: field 't_ns': time runs backwards: 4 after 5");
}

TEST_F(TraceReader, RefusesUnknownOperations) {
  for (const char* op : {"T", "s", "SS", ""}) {
    EXPECT_TRUE(complaint_about_row(std::string("1,") + op + ",2,3,x\n").starts_with("trace.csv:2: field 'op': "))
        << op;
  }
}

TEST_F(TraceReader, RequiresADelayWhereATimerIsArmed) {
  EXPECT_TRUE(complaint_about_row("1,S,2,,x\n").starts_with("trace.csv:2: field 'delay_ns': "));
  EXPECT_TRUE(complaint_about_row("1,R,2,,x\n").starts_with("trace.csv:2: field 'delay_ns': "));
}

TEST_F(TraceReader, RefusesTooFewAndTooManyFields) {
  EXPECT_TRUE(complaint_about_row("1\n").starts_with("trace.csv:2: field 'op': missing"));
  EXPECT_TRUE(complaint_about_row("1,S,2\n").starts_with("trace.csv:2: field 'delay_ns': missing"));
  EXPECT_TRUE(complaint_about_row("1,C,2,\n").starts_with("trace.csv:2: field 'source': missing"));
  EXPECT_TRUE(complaint_about_row("1,S,2,3,x,y\n").starts_with("trace.csv:2: field 'source': more fields"));
}

TEST_F(TraceReader, RefusesAnEmptyLineInsteadOfSkippingIt) {
  EXPECT_TRUE(complaint_about_row("1,S,2,3,x\n\n2,C,2,,\n").starts_with("trace.csv:3: field 't_ns': is empty"));
}

TEST_F(TraceReader, RefusesControlCharacters) {
  using namespace std::string_literals;
  EXPECT_EQ(complaint_about_row("1,S,2,3,a\0b\n"s), "trace.csv:2: field 'source': holds control characters: 'a\\x00b'");
  EXPECT_EQ(complaint_about_row("1\0,S,2,3,x\n"s), "trace.csv:2: field 't_ns': '1\\x00' is not a whole number");
}

TEST_F(TraceReader, RefusesALineAtTheLimitWhateverItsLength) {
  const std::string name(line_reader::longest_line - 8, 'x');
  EXPECT_EQ(rows_of(header_line + "1,S,2,3," + name + "\n").size(), 1U);
  EXPECT_TRUE(
      complaint_about_row("1,S,2,3," + name + "x\n").starts_with("trace.csv:2: field 'source': the line is longer"));
  EXPECT_TRUE(
      complaint_about_row(std::string(5'000'000, '1')).starts_with("trace.csv:2: field 't_ns': the line is longer"));
  EXPECT_TRUE(complaint(std::string(5'000'000, ',')).starts_with("trace.csv:1: field 'source': the line is longer"));
}

TEST_F(TraceReader, RefusesGzipThatEndsEarlyAtEachOfItsBytes) {
  const std::string whole = gzipped(header_line + "1,S,2,3,x\n4,C,2,,\n");
  for (std::size_t length = 2; length < whole.size(); ++length) {
    EXPECT_NE(complaint(whole.substr(0, length)).find("cut short"), std::string::npos) << length;
  }
  EXPECT_EQ(complaint(whole), "accepted");
}

TEST_F(TraceReader, RefusesGzipWithAWrongChecksum) {
  std::string damaged = gzipped(header_line + "1,S,2,3,x\n");
  damaged[damaged.size() - 6] = static_cast<char>(damaged[damaged.size() - 6] ^ 1);
  EXPECT_NE(complaint(damaged).find("the gzip data is damaged"), std::string::npos);
}

TEST_F(TraceReader, RefusesBytesAfterTheGzipData) {
  EXPECT_NE(complaint(gzipped(header_line) + "more").find("follow its end"), std::string::npos);
}

}  // namespace
}  // namespace detent::tool
