// SPDX-License-Identifier: MIT
// Tests that bad input is refused by the right code, and that the line says what to do.
#include "nodes.hpp"
#include "sqlite_bed.hpp"

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

namespace durable_test {
namespace {

// The code and the line of what a call throws.
template <class Call>
void refuses(Call&& call, std::error_code code, std::string_view words) {
  try {
    call();
    FAIL() << "nothing was thrown: " << words;
  } catch (const detent::error& refused) {
    EXPECT_EQ(refused.code(), code) << refused.what();
    EXPECT_NE(std::string_view(refused.what()).find(words), std::string_view::npos) << refused.what();
    EXPECT_EQ(std::string_view(refused.what()).find('\n'), std::string_view::npos);
  }
}

void edit(const std::string& file, const char* sql) {
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(file.c_str(), &db), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(db, sql, nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(db);
}

TEST(DurableBadInput, NamesAndPayloadsHaveLimits) {
  journal book;
  memory data;
  a_node node(data.connect(), book);
  const std::string fits(key_limit, 'k'), large(key_limit + 1, 'k');
  const std::string body(payload_limit, 'b'), large_body(payload_limit + 1, 'b');
  EXPECT_EQ(node.on.schedule_after(1h, "write", bytes(body), {.key = fits}), fits);
  const std::error_code too_large = errc::too_large;
  refuses([&] { node.on.schedule_after(1h, "write", {}, {.key = large}); }, too_large, "129 bytes: at most 128");
  refuses([&] { node.on.schedule_after(1h, "write", {}, {.partition = large}); }, too_large, "a partition of 129");
  refuses([&] { node.on.schedule_after(1h, "write", bytes(large_body), {}); }, too_large, "65537 bytes: at most 65536");
  refuses([&] { node.on.schedule_after(1h, std::string(65, 'h'), {}, {}); }, too_large, "65 bytes: at most 64");
  refuses([&] { node.on.schedule_after(1h, "", {}, {}); }, too_large, "a handler's name of 0 bytes: must have 1 to 64");
  refuses([&] { node.on.cancel(large, {}); }, too_large, "129 bytes");
  EXPECT_TRUE(node.on.flush(10s));
  EXPECT_EQ(node.on.list({}).size(), 1u) << "of the others nothing is left";
}

TEST(DurableBadInput, OptionsAreNamed) {
  journal book;
  memory data;
  const std::error_code invalid = detent::errc::invalid_option;
  refuses([&] { a_node(data.connect(), book, {.lease = 1ms}); }, invalid, "lease = 1000000 ns: must be 50 ms to 1 h");
  refuses([&] { a_node(data.connect(), book, {.flush = 2h}); }, invalid, "ns: must be 0 ns to 1 h");
  refuses([&] { a_node(data.connect(), book, {.outbox = 0}); }, invalid, "outbox = 0");
  refuses([&] { a_node(data.connect(), book, {.horizon = 0s}); }, invalid, "horizon = 0 ns");
  refuses([&] { a_node(data.connect(), book, {.dead_for = -1ns}); }, invalid, "dead_for = -1 ns: ");
  refuses(
      [&] {
        detent::engine e;
        timers(e, nullptr);
      },
      invalid, "store = null");
  detent::manual_clock by_hand;
  detent::engine on_it({.manual = &by_hand});
  refuses([&] { timers(on_it, data.connect()); }, invalid, "durable::options::time = none: ");
  detent::engine real;
  refuses([&] { timers(real, data.connect(), {.time = {&by_hand, {}}}); }, invalid, "durable::options::time = virtual");
  refuses([&] { memory(0); }, invalid, "shards = 0: must be 1 to 1024");
  a_node node(data.connect(), book);
  refuses([&] { node.on.handle("write", [](job&) { return outcome::done(); }); }, invalid,
          "handle(\"write\"): another handler has this name");
  refuses([&] { node.on.handle("", [](job&) { return outcome::done(); }); }, invalid, "1 to 64 bytes");
  refuses([&] { node.on.handle("x", {}); }, invalid, "the handler is empty");
  refuses([&] { node.on.handle("x", [](job&) { return outcome::done(); }, {.longest_retry = -1s}); }, invalid,
          "longest_retry must be more than 0 ns");
  node.on.start();
  refuses([&] { node.on.start(); }, detent::errc::not_permitted, "have started");
}

TEST(DurableBadInput, AFileIsOfOneStoreAtATime) {
  const temporary_directory directory;
  const std::string file = directory.file("timers");
  const auto first = sqlite_store(file);
  refuses([&] { sqlite_store(file); }, errc::in_use, "another process, or another store of this one, has the file");
  const auto beside = sqlite_store(file, {.read_only = true});
  asker{*first}.put(timer("k", 1, at(1)));
  EXPECT_EQ(asker{*beside}.list({}).size(), 1u) << "a list may be read beside it";
  change_status out{};
  const change one = put_request{timer("l", 2, at(2)), put_mode::keep};
  EXPECT_EQ(beside->apply({&one, 1}, {&out, 1}), errc::not_permitted);
  const take_request shard{0, std::chrono::seconds(60)};
  take_result taken;
  ASSERT_EQ(first->take("owner", {&shard, 1}, {&taken, 1}), errc{});
  shard_state state;
  ASSERT_EQ(first->look({&state, 1}), errc{});
  EXPECT_EQ(state.node, "owner");
  ASSERT_EQ(beside->look({&state, 1}), errc{});
  EXPECT_EQ(state.node, "?") << "it must not say that no node has the shard";
}

TEST(DurableBadInput, AFileOfAnotherFormatIsLeftAlone) {
  const temporary_directory directory;
  const std::string file = directory.file("timers");
  asker{*sqlite_store(file)}.put(timer("k", 1, at(1)));
  for (const std::string other : {"1", "3"}) {
    edit(file, ("PRAGMA user_version = " + other).c_str());
    refuses([&] { sqlite_store(file); }, errc::foreign_format,
            ("of format " + other + ", and this version knows 2").c_str());
  }
  edit(file, "PRAGMA user_version = 2");
  EXPECT_EQ(asker{*sqlite_store(file)}.list({}).size(), 1u);
}

TEST(DurableBadInput, AFileThatIsOnlyReadSaysWhatItHas) {
  const temporary_directory directory;
  const std::string file = directory.file("timers");
  {
    const auto first = sqlite_store(file);
    asker on{*first};
    const term_ref term{0, on.take(0).fence};
    for (const std::string key : {"d1", "d2", "k1", "k2", "k3"}) on.put(timer(key, 1, at(1)));
    for (const record& its : on.read(term, at(10)).due)
      if (its.key.starts_with("d")) on.end(end_of(term, its, end_kind::kill));
  }
  const auto reads = sqlite_store(file, {.read_only = true});
  const auto apart = reads->view_apart();
  for (store_view* const in : {static_cast<store_view*>(reads.get()), apart.get()}) {
    shard_state state;
    EXPECT_EQ(in->look({&state, 1}), errc{});
    EXPECT_EQ(state.timers, 3u);
    EXPECT_EQ(state.dead, 2u);
    EXPECT_EQ(state.node, "?");
  }
}

TEST(DurableBadInput, FilesOfSomethingElseAreRefused) {
  const temporary_directory directory;
  const std::string text = directory.file("text");
  std::ofstream(text) << std::string(4096, 'x');
  refuses([&] { sqlite_store(text); }, errc::corrupt, "text");
  const std::string other = directory.file("other");
  edit(other, "CREATE TABLE t (a)");
  refuses([&] { sqlite_store(other); }, errc::corrupt, "name another file");
  const std::string without = directory.file("without");
  asker{*sqlite_store(without)}.put(timer("k", 1, at(1)));
  edit(without, "DROP TABLE dead");
  for (const bool read_only : {true, false})
    refuses([&] { sqlite_store(without, {.read_only = read_only}); }, errc::corrupt,
            "its tables are not those of a store");
  const std::string pipe = directory.file("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const bool read_only : {false, true})  // to read, SQLite would wait for a writer
    refuses([&] { sqlite_store(pipe, {.read_only = read_only}); }, errc::not_permitted, "not a regular file");
  EXPECT_FALSE(std::filesystem::exists(pipe + ".lock"));
  refuses([&] { sqlite_store(directory.file("no/such/directory")); }, errc::not_permitted, "No such file or directory");
  refuses([&] { sqlite_store(directory.file("none"), {.read_only = true}); }, errc::not_permitted, "none");
  refuses([&] { sqlite_store(directory.file("x"), {.cache = 1}); }, detent::errc::invalid_option, "cache = 1");
  refuses([&] { sqlite_store(directory.file("x"), {.shards = 0}); }, detent::errc::invalid_option, "shards = 0");
}

TEST(DurableBadInput, AFullFileHasRoomForATimerThatDies) {
  const temporary_directory directory;
  const auto file = sqlite_store(directory.file("timers"), {.most_bytes = 1'000'000, .shards = 1});
  const term_ref term{0, asker{*file}.take(0).fence};
  record big = timer("k", 0, at(1));
  big.payload.resize(60'000);
  change_status out{};
  for (change one = put_request{big}; file->apply({&one, 1}, {&out, 1}) == errc{};) {
    record& its = std::get<put_request>(one).what;
    its.key += std::to_string(++its.id);
  }
  const std::vector<record> all = asker{*file}.read(term, at(2)).due;
  ASSERT_GT(all.size(), 5u);
  for (const record& its : all) EXPECT_EQ(asker{*file}.end(end_of(term, its, end_kind::kill)), change_status::ended);
  EXPECT_EQ(asker{*file}.list({.shard = 0, .dead = true}).size(), all.size());
  for (const record& its : all)
    EXPECT_EQ(asker{*file}.put(timer(its.key, its.id + 100, at(5)), put_mode::revive), change_status::stored);
}

TEST(DurableBadInput, ABatchThatDoesNotFitChangesNothing) {
  const temporary_directory directory;
  const auto file = sqlite_store(directory.file("timers"), {.most_bytes = 200'000, .shards = 1});
  asker on{*file};
  const term_ref term{0, on.take(0).fence};
  on.put(timer("k", 1, at(1)));
  const record ran = on.read(term, at(10)).due.at(0);
  EXPECT_EQ(on.put(timer("k", 2, at(5))), change_status::kept);
  std::vector<change> batch{end_of(term, ran), cancel_request{0, "k", 77}};
  record big = timer("b", 10, at(1));
  big.payload.resize(50'000);
  for (; batch.size() < 10; big.key += 'b', ++big.id) batch.emplace_back(put_request{big});
  std::vector<change_status> results(batch.size());
  EXPECT_EQ(file->apply(batch, results), errc::unavailable);
  EXPECT_EQ(on.list({}).size(), 1u);
  EXPECT_EQ(on.read(term, at(10)).announced_keys.size(), 1u) << "of the successor";
  EXPECT_EQ(on.end(end_of(term, ran)), change_status::ended);
  EXPECT_EQ(on.list({}).at(0).what.id, 2u) << "its successor is there still";
}

TEST(DurableBadInput, AFileHasOneStoreByWhateverName) {
  const temporary_directory directory;
  const auto file = sqlite_store(directory.file("timers"));
  std::filesystem::create_symlink(directory.file("timers"), directory.file("link"));
  refuses([&] { sqlite_store(directory.file("link")); }, errc::in_use, "one at a time");
}

TEST(DurableBadInput, AFullFileKeepsTheRestInTheOutbox) {
  const temporary_directory directory;
  journal book;
  a_node node(sqlite_store(directory.file("timers"), {.most_bytes = 200'000}), book);
  const std::string body(10'000, 'b');
  for (int i = 0; i < 40; ++i) node.on.schedule_after(1h, "write", bytes(body), {.key = "k" + std::to_string(i)});
  EXPECT_FALSE(node.on.flush(300ms));
  EXPECT_TRUE(soon([&] { return node.reported->has(errc::unavailable); })) << node.reported->all();
  EXPECT_TRUE(soon([&] { return node.on.metrics().outbox + node.on.list({}).size() == 40; }))
      << "each is in the file or waits";
}

// Timers that handlers put under their own keys have no room until the ends of the others are written.
TEST(DurableBadInput, AFullFileTakesTheEndsThatMakeRoom) {
  const temporary_directory directory;
  journal book;
  a_node node(sqlite_store(directory.file("timers"), {.most_bytes = 1'000'000}), book);
  const std::string body(60'000, 'b');
  std::atomic<int> grown{0};
  node.on.handle("grow", [&](job& of) {
    node.on.schedule_after(1h, "grow", bytes(body), {.key = of.key()});
    ++grown;
    return outcome::done();
  });
  for (int i = 0; i < 12; ++i) node.on.schedule_after(0s, "grow", {}, {.key = std::to_string(i)});
  for (int i = 0; i < 200; ++i) node.on.schedule_after(0s, "write", bytes(std::string_view(body).substr(0, 2000)));
  ASSERT_TRUE(node.on.flush(20s));
  node.on.start();
  ASSERT_TRUE(soon([&] { return grown == 12 && book.size() == 200; }));
  EXPECT_TRUE(soon([&] { return node.on.list({.limit = 300}).size() == 12; }, 20s)) << node.on.metrics().ends;
}

}  // namespace
}  // namespace durable_test
