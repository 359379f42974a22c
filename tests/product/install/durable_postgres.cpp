// SPDX-License-Identifier: MIT
// The store on PostgreSQL as somebody has it who installed it. No server is needed to be refused.
#include <detent/durable.hpp>
#include <detent/durable_postgres.hpp>

int main() {
  try {
    detent::durable::postgres_store("postgresql://u@/d?host=/no/such/directory");
  } catch (const detent::error& refused) {
    return refused.code() == detent::durable::errc::unavailable ? 0 : 1;
  }
  return 1;
}
