// SPDX-License-Identifier: MIT
// The load client notices each way in which an order's life can be wrong.
#include "client/ledger.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace {

using namespace std::chrono_literals;

constexpr wire::time_point start = wire::time_point{} + 1h;

struct GatewayLedger : testing::Test {
  load::findings found;
  load::measurements measured;
  load::ledger orders{found, measured};
  const load::session_number session = orders.open_session();
  std::uint64_t expiries = 0;

  static std::string line(load::order_number id, char what, wire::time_point at, std::string_view more) {
    return fmt::format("35=8|49=C|11={}|150={}|60={}{}", id, what, wire::to_wire(at), more);
  }
  template <class Use>
  static void parsed(const std::string& text, Use&& use) {
    std::string problem;
    const auto report = wire::message::parse(text, problem);
    ASSERT_TRUE(report) << problem;
    use(*report);
  }
  void copied(load::order_number id, char what, wire::time_point at, std::string_view more = "") {
    parsed(line(id, what, at, more), [&](const wire::message& report) { orders.copied(report); });
  }
  void reported(load::order_number id, char what, wire::time_point at, std::string_view more = "") {
    parsed(line(id, what, at, more), [&](const wire::message& report) { orders.reported(report, at + 1us); });
  }
  // By both witnesses.
  void happens(load::order_number id, char what, wire::time_point at, std::string_view more = "") {
    copied(id, what, at, more);
    reported(id, what, at, more);
  }
  // An order that rests until `expires`.
  load::order_number rest(wire::time_point expires) {
    const load::order_number id = orders.send(session, expires);
    happens(id, '0', start, fmt::format("|126={}", wire::to_wire(expires)));
    return id;
  }
  void expire(load::order_number id, wire::time_point due, wire::time_point at) {
    happens(id, 'C', at, fmt::format("|126={}|5004={}", wire::to_wire(due), ++expiries));
  }
  std::uint64_t broken() {
    orders.close();
    return found.count();
  }
};

TEST_F(GatewayLedger, AcceptsEachWayToEnd) {
  expire(rest(start + 1s), start + 1s, start + 1s);
  happens(rest(start + 1s), 'F', start + 1s - 1ns);
  happens(rest(start + 1s), '4', start + 10ms, "|58=as asked");
  happens(orders.send(session, {}), 'F', start);
  happens(orders.send(session, {}), '8', start, "|58=nobody to trade with");
  const load::order_number moved = rest(start + 1s);
  happens(moved, '5', start, fmt::format("|126={}", wire::to_wire(start + 2s)));
  expire(moved, start + 2s, start + 2s + 1ms);
  EXPECT_TRUE(orders.settled());
  EXPECT_EQ(broken(), 0u);
  EXPECT_EQ(orders.totals().accepted, 4u);
  EXPECT_EQ(orders.totals().expired, 2u);
}

TEST_F(GatewayLedger, NoticesAnExpiryThatIsEarlyByANanosecond) {
  expire(rest(start + 1s), start + 1s, start + 1s - 1ns);
  EXPECT_EQ(broken(), 1u);
}

TEST_F(GatewayLedger, NoticesAnExpiryForAnotherTimeThanTheOrders) {
  const load::order_number moved = rest(start + 1s);
  happens(moved, '5', start, fmt::format("|126={}", wire::to_wire(start + 2s)));
  expire(moved, start + 1s, start + 2s);
  EXPECT_EQ(broken(), 1u);
}

TEST_F(GatewayLedger, NoticesExpiriesOutOfOrder) {
  const load::order_number first = rest(start + 1s), second = rest(start + 1s + 1ns);
  expire(second, start + 1s + 1ns, start + 2s);
  expire(first, start + 1s, start + 2s);
  EXPECT_EQ(broken(), 1u);
}

TEST_F(GatewayLedger, NoticesAnExpiryThatIsMissing) {
  const load::order_number id = rest(start + 1s);
  ++expiries;
  expire(id, start + 1s, start + 1s);
  EXPECT_EQ(broken(), 1u);
}

TEST_F(GatewayLedger, NoticesAnOrderThatExpiresTwice) {
  const load::order_number id = rest(start + 1s);
  expire(id, start + 1s, start + 1s);
  expire(id, start + 1s, start + 1s);
  EXPECT_EQ(broken(), 2u);  // each witness tells it
}

TEST_F(GatewayLedger, NoticesATradeAfterTheExpiryWasReported) {
  const load::order_number id = rest(start + 1s);
  expire(id, start + 1s, start + 1s);
  reported(id, 'F', start + 2s);
  EXPECT_GE(broken(), 1u);
}

TEST_F(GatewayLedger, NoticesATradeAtTheVeryExpiry) {
  happens(rest(start + 1s), 'F', start + 1s);
  EXPECT_EQ(broken(), 1u);
}

TEST_F(GatewayLedger, NoticesAChangeAtTheVeryExpiry) {
  happens(rest(start + 1s), '4', start + 1s, "|58=as asked");
  const load::order_number moved = rest(start + 1s);
  happens(moved, '5', start + 1s, fmt::format("|126={}", wire::to_wire(start + 2s)));
  expire(moved, start + 2s, start + 2s);
  EXPECT_EQ(broken(), 2u);
}

TEST_F(GatewayLedger, NoticesAnOrderThatRestsForEver) {
  rest(start + 1s);
  EXPECT_FALSE(orders.settled());
  EXPECT_EQ(broken(), 1u);
}

TEST_F(GatewayLedger, NoticesAnOrderThatWasNeverAnswered) {
  orders.send(session, start + 1s);
  EXPECT_FALSE(orders.settled());
  EXPECT_EQ(broken(), 1u);
}

TEST_F(GatewayLedger, NoticesASessionThatIsToldSomethingElse) {
  const load::order_number id = rest(start + 1s);
  copied(id, '4', start + 10ms, "|58=as asked");
  reported(id, 'F', start + 10ms);
  EXPECT_EQ(broken(), 1u);
}

TEST_F(GatewayLedger, IsNotSettledBeforeBothWitnessesHaveToldTheEnd) {
  const load::order_number id = rest(start + 1s);
  copied(id, '4', start + 10ms, "|58=as asked");
  EXPECT_FALSE(orders.settled());
  reported(id, '4', start + 10ms, "|58=as asked");
  EXPECT_TRUE(orders.settled());
}

TEST_F(GatewayLedger, NoticesAReportOfAnOrderThatWasNeverSent) {
  copied(17, '8', start);
  EXPECT_EQ(broken(), 1u);
}

TEST_F(GatewayLedger, HoldsALostSessionToTheCancellationOfItsOrders) {
  const load::order_number cancelled = rest(start + 1s);
  orders.send(session, start + 1s);  // may never have arrived
  orders.lost(session, start + 100ms);
  copied(cancelled, '4', start + 101ms, "|58=closed by the peer");
  EXPECT_TRUE(orders.settled());
  EXPECT_EQ(broken(), 0u);
  EXPECT_EQ(orders.totals().cancelled_on_disconnect, 1u);
}

TEST_F(GatewayLedger, NoticesAnOrderThatOutlivesItsSession) {
  const load::order_number cancelled = rest(start + 1s), forgotten = rest(start + 1s);
  orders.lost(session, start + 100ms);
  copied(cancelled, '4', start + 101ms, "|58=closed by the peer");
  copied(forgotten, 'C', start + 1s, fmt::format("|126={}|5004=1", wire::to_wire(start + 1s)));
  EXPECT_EQ(broken(), 1u);
}

TEST_F(GatewayLedger, NoticesACancellationBeforeTheConnectionBroke) {
  const load::order_number id = rest(start + 1s);
  orders.lost(session, start + 100ms);
  copied(id, '4', start + 99ms, "|58=closed by the peer");
  EXPECT_EQ(broken(), 1u);
}

}  // namespace
