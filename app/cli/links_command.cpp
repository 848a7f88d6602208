#include <string>
#include <vector>

#include "app/cli/commands.hpp"
#include "app/common/console.hpp"
#include "app/report/text_table.hpp"
#include "topology/links/link_class.hpp"

namespace ringcast {
namespace {

std::string if_known(BytesPerSecond rate) {
  return rate > BytesPerSecond{0} ? to_text(rate) : "";
}

std::string link_table() {
  using Row = LinkClass;
  const std::vector<Column<Row>> columns{
      {"class", &Row::name, Hidden::never, true},
      {"bandwidth", [](const Row& row) { return to_text(row.achievable); }},
      {"without NVSwitch", [](const Row& row) { return if_known(row.direct_achievable); }},
      {"peer_bandwidth", [](const Row& row) { return if_known(row.peer_achievable); }},
      {"kernel_bandwidth", [](const Row& row) { return if_known(row.kernel_achievable); }},
      {"latency", [](const Row& row) { return to_text(row.latency); }},
      {"source", &Row::source, Hidden::never, true}};
  return table_of(columns, {link_classes().begin(), link_classes().end()});
}

}  // namespace

void add_links_command(Command& program) {
  program.command("links", "print the link classes, each with its rates per direction and source")
      .runs([] {
        print_output(link_table());
        return 0;
      });
}

}  // namespace ringcast
