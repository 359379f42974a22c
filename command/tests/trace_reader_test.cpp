// SPDX-License-Identifier: MIT
#include "replay/trace_reader.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <limits>
#include <string>
#include <utility>
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

  // Returns the reader's complaint about the file, without the directory.
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

  test::temporary_directory directory;
};
using TraceReader = trace_reader_on_made_up_files;

TEST_F(TraceReader, AcceptsTheHeaderAloneCarriageReturnsAndAMissingLastNewline) {
  EXPECT_TRUE(rows_of(header_line).empty());
  EXPECT_TRUE(rows_of(std::string(trace_reader::header)).empty());
  EXPECT_EQ(rows_of("t_ns,op,id,delay_ns,source\r\n1,S,2,3,x\r\n4,C,2,,").size(), 2U);
}

TEST_F(TraceReader, ReadsGzipInOneMemberOrSeveral) {
  const std::string first = gzipped(header_line + "1,S,2,3,x\n"), second = gzipped("4,C,2,,\n");
  EXPECT_EQ(rows_of(first).size(), 1U);
  EXPECT_EQ(rows_of(first + second).size(), 2U);
}

TEST_F(TraceReader, NamesTheLineTheFieldAndWhatIsWrong) {
  using namespace std::string_literals;
  const std::string name(line_reader::longest_line - 8, 'x');
  EXPECT_EQ(rows_of(header_line + "1,S,2,3," + name + "\n").size(), 1U);
  // Pairs of the rows below the header and the complaint, without the file's name in front.
  for (const auto& [rows, begins] :
       {std::pair{"x,S,2,3,x\n"s, "2: field 't_ns': 'x' is not a whole number"s},
        {"1,S,2x,3,x\n", "2: field 'id': '2x' is not a whole number"},
        {"1,S,2,3.5,x\n", "2: field 'delay_ns': '3.5' is not a whole number"},
        {"1,S,2, 3,x\n", "2: field 'delay_ns': ' 3' is not a whole number"},
        {"1,S,,3,x\n", "2: field 'id': is empty where a number must stand"},
        {"-1,S,2,3,x\n", "2: field 't_ns': '-1' is negative"},
        {"1,S,-2,3,x\n", "2: field 'id': '-2' is negative"},
        {"1,S,2,-3,x\n", "2: field 'delay_ns': '-3' is negative"},
        {"18446744073709551616,S,2,3,x\n", "2: field 't_ns': "},
        {"1,S,2,99999999999999999999,x\n", "2: field 'delay_ns': "},
        {"5,S,2,3,x\n5,C,2,,\n4,C,2,,\n", "4: field 't_ns': time runs backwards: 4 after 5"},
        {"1,T,2,3,x\n", "2: field 'op': "},
        {"1,s,2,3,x\n", "2: field 'op': "},
        {"1,SS,2,3,x\n", "2: field 'op': "},
        {"1,,2,3,x\n", "2: field 'op': "},
        {"1,S,2,,x\n", "2: field 'delay_ns': "},
        {"1,R,2,,x\n", "2: field 'delay_ns': "},
        {"1\n", "2: field 'op': missing"},
        {"1,S,2\n", "2: field 'delay_ns': missing"},
        {"1,C,2,\n", "2: field 'source': missing"},
        {"1,S,2,3,x,y\n", "2: field 'source': more fields"},
        {"1,S,2,3,x\n\n2,C,2,,\n", "3: field 't_ns': is empty"},
        {"1,S,2,3,a\0b\n"s, "2: field 'source': holds control characters: 'a\\x00b'"},
        {"1\0,S,2,3,x\n"s, "2: field 't_ns': '1\\x00' is not a whole number"},
        {"1,S,2,3," + name + "x\n", "2: field 'source': the line is longer"},
        {std::string(5'000'000, '1'), "2: field 't_ns': the line is longer"}})
    EXPECT_TRUE(complaint(header_line + rows).starts_with("trace.csv:" + begins)) << complaint(header_line + rows);
}

TEST_F(TraceReader, WantsItsHeaderFirst) {
  for (const auto& [content, begins] : {std::pair{std::string(), "field 't_ns': the file is empty"},
                                        {gzipped(""), "field 't_ns': the file is empty"},
                                        {"1,S,2,3,x\n", "field 't_ns': the first line must be the header"},
                                        {"t_ns,op,timer,delay_ns,source\n", "field 'id': "},
                                        {std::string(5'000'000, ','), "field 'source': the line is longer"}})
    EXPECT_TRUE(complaint(content).starts_with(std::string("trace.csv:1: ") + begins)) << complaint(content);
  EXPECT_THROW(trace_reader(directory.path() + "/none.csv"), input_error);
}

TEST_F(TraceReader, RefusesGzipThatIsNotWhole) {
  const std::string whole = gzipped(header_line + "1,S,2,3,x\n4,C,2,,\n");
  for (std::size_t length = 2; length < whole.size(); ++length)
    EXPECT_NE(complaint(whole.substr(0, length)).find("cut short"), std::string::npos) << length;
  EXPECT_EQ(complaint(whole), "accepted");
  EXPECT_NE(complaint(whole + "more").find("follow its end"), std::string::npos);
  std::string damaged = whole;
  damaged[damaged.size() - 6] = static_cast<char>(damaged[damaged.size() - 6] ^ 1);  // a byte of the checksum
  EXPECT_NE(complaint(damaged).find("the gzip data is damaged"), std::string::npos);
}

}  // namespace
}  // namespace detent::tool
