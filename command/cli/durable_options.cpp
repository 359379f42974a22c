// SPDX-License-Identifier: MIT
#include "cli/command_options.hpp"

#include "text/option_values.hpp"

namespace detent::tool {
namespace {

constexpr std::uint64_t most_listed = 1'000'000;

CLI::App* add_action(CLI::App& app, const char* name, const char* help, durable_options::action what,
                     durable_options& options) {
  CLI::App* const action = app.add_subcommand(name, help);
  action
      ->add_option("--store", options.store,
                   "an SQLite file, redis://HOST[:PORT]/PREFIX or redis+unix:///PATH?prefix=PREFIX")
      ->type_name("STORE")
      ->required();
  action->callback([what, &options] { options.what = what; });
  return action;
}

void add_key(CLI::App* action, durable_options& options) {
  action->add_option("KEY", options.key, "the timer's key")->type_name("KEY")->required();
  action->add_option("--partition", options.partition, "its partition, if it was scheduled with one")
      ->type_name("NAME");
}

}  // namespace

void add_options(CLI::App& app, durable_command& durable) {
  durable_options& options = durable.options;
  using action = durable_options::action;
  app.require_subcommand(1);
  CLI::App* const list = add_action(app, "list", "print timers by due time", action::list, options);
  list->add_option("--key", options.key, "those whose key begins so")->type_name("PREFIX");
  list->add_option("--partition", options.partition, "those of this partition")->type_name("NAME");
  list->add_option("--handler", options.handler, "those of this handler")->type_name("NAME");
  list->add_option("--from", options.from, "due from then on, such as 2024-03-08T00:00:00Z")->type_name("TIME");
  list->add_option("--until", options.until, "due before then")->type_name("TIME");
  list->add_flag("--dead", options.dead, "the dead ones, with their reasons, instead");
  const auto limit = [&options](const std::string& text) {
    options.limit = whole_number("--limit", text, 1, most_listed);
  };
  list->add_option_function<std::string>("--limit", limit, "at most so many; default 100")->type_name("N");
  add_key(add_action(app, "show", "print all of one timer, alive or dead", action::show, options), options);
  add_key(add_action(app, "cancel", "cancel one timer", action::cancel, options), options);
  add_key(add_action(app, "revive", "let a dead timer live again, due now", action::revive, options), options);
}

}  // namespace detent::tool
