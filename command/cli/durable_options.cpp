// SPDX-License-Identifier: MIT
#include "cli/command_options.hpp"
#include "text/option_values.hpp"

namespace detent::tool {
namespace {

constexpr std::uint64_t most_listed = 1'000'000;

using action = durable_options::action;

CLI::App* add_action(CLI::App& app, const char* name, const char* help, action what, durable_options& options) {
  CLI::App* const made = app.add_subcommand(name, help);
  made->callback([what, &options] { options.what = what; });
  return made;
}

CLI::Option* add_store(CLI::App* to, durable_options& options) {
  return to
      ->add_option("--store", options.store,
                   "an SQLite file, redis://HOST[:PORT]/PREFIX, redis-sentinel://HOST[:PORT]/MASTER/PREFIX (rediss for "
                   "TLS), redis+unix:///PATH?prefix=PREFIX or postgresql://HOST/DATABASE")
      ->type_name("STORE");
}

void add_json(CLI::App* to, durable_options& options, const char* help) { to->add_flag("--json", options.json, help); }

void add_consent(CLI::App* to, durable_options& options) {
  to->add_flag("--yes,-y", options.yes, "do not ask first; needed if there is no terminal");
  add_json(to, options, "print what was done as JSON");
}

CLI::Option* add_key(CLI::App* to, durable_options& options) {
  return to->add_option("KEY", options.key, "the timer's key, as it is printed: \\xNN is a byte, \\\\ a backslash")
      ->type_name("KEY");
}

void add_partition(CLI::App* to, durable_options& options, const char* help) {
  to->add_option("--partition", options.partition, help)->type_name("NAME");
}

void add_query(CLI::App* to, durable_options& options, bool dead, bool alive) {
  to->add_option("--key", options.prefix, "those whose key begins with this")->type_name("PREFIX");
  add_partition(to, options, "those of this partition; '': those without one");
  to->add_option("--handler", options.handler, "those of this handler")->type_name("NAME");
  to->add_option("--from", options.from,
                 alive ? "due (dead ones: died) from then on, such as 2024-03-08T00:00:00Z or now"
                       : "dead since then, such as 2024-03-08T00:00:00Z")
      ->type_name("TIME");
  to->add_option("--until", options.until, alive ? "due (dead ones: died) before then" : "dead before then")
      ->type_name("TIME");
  if (dead) to->add_flag("--dead", options.dead, alive ? "the dead ones instead" : "the default");
}

// Adds a command for one timer, or for all timers that a query finds.
CLI::App* add_change(CLI::App& app, const char* name, const char* help, action what, durable_options& options) {
  CLI::App* const made = add_action(app, name, help, what, options);
  add_store(made, options)->required();
  add_key(made, options);
  add_query(made, options, what != action::move, what == action::move || what == action::cancel);
  made->add_flag("--all", options.all, "all timers of the store");
  add_consent(made, options);
  return made;
}

void add_list(CLI::App& app, durable_options& options) {
  CLI::App* const list = add_action(app, "list", "print timers by due time", action::list, options);
  add_store(list, options)->required();
  add_query(list, options, true, true);
  const auto limit = [&options](const std::string& text) {
    options.limit = whole_number("--limit", text, 1, most_listed);
  };
  list->add_option_function<std::string>("--limit", limit, "at most N timers; default 100")->type_name("N");
  list->add_option("--after", options.after, "continue from the place that the last list printed")->type_name("PLACE");
  add_json(list, options, "print one JSON object per line");
}

void add_put(CLI::App& app, durable_options& options) {
  CLI::App* const put = add_action(app, "put", "put one timer", action::put, options);
  add_store(put, options)->required();
  add_key(put, options)->required();
  add_partition(put, options, "its partition; none if this is not given");
  put->add_option("--handler", options.handler, "the handler that it runs")->type_name("NAME")->required();
  auto* const due =
      put->add_option("--due", options.due, "when, such as 2024-03-08T00:00:00Z or now")->type_name("TIME");
  put->add_option("--in", options.in, "after this time from now, such as 90s, 15min, 2h or 1d")
      ->type_name("SPAN")
      ->excludes(due);
  put->add_option("--payload", options.payload, "its payload: a text, @FILE, or - for standard input")
      ->type_name("TEXT");
  put->add_option("--if-exists", options.if_exists,
                  "keep the timer that has the key (the default), replace it, or fail")
      ->type_name("keep|replace|fail");
  add_consent(put, options);
}

}  // namespace

void add_options(CLI::App& app, durable_command& durable) {
  durable_options& options = durable.options;
  app.require_subcommand(1);
  add_list(app, options);
  const auto add_look = [&](const char* name, const char* help, action what, const char* json) {
    CLI::App* const look = add_action(app, name, help, what, options);
    add_store(look, options)->required();
    add_key(look, options)->required();
    add_partition(look, options, "its partition, '' for none; without this option all are searched");
    add_json(look, options, json);
  };
  add_look("show", "print all of one timer, alive or dead", action::show, "print it as JSON");
  add_look("get", "write the payload of one timer, and nothing else", action::get, "print all of it as JSON");
  add_put(app, options);
  CLI::App* const move = add_change(app, "move", "give timers another due time", action::move, options);
  auto* const to =
      move->add_option("--to", options.due, "due then, such as 2024-03-08T00:00:00Z or now")->type_name("TIME");
  move->add_option("--by", options.in, "move them this much later, such as 2h; earlier: -2h")
      ->type_name("SPAN")
      ->excludes(to);
  add_change(app, "cancel", "cancel timers", action::cancel, options);
  add_change(app, "revive", "let dead timers live again, due now", action::revive, options);
  add_change(app, "purge", "erase dead timers", action::purge, options);
  CLI::App* const migrate = add_action(
      app, "migrate", "make the schema of a store in PostgreSQL, or bring it up to date", action::migrate, options);
  add_store(migrate, options);
  migrate->add_flag("--print", options.print, "print the SQL that does so instead");
  migrate->add_flag("--yes,-y", options.yes, "do not ask first; needed if there is no terminal");
}

}  // namespace detent::tool
