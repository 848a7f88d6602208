#include "app/common/kept_cells.hpp"

#include <fmt/format.h>

#include "app/common/console.hpp"
#include "app/common/counted.hpp"
#include "app/common/file_output.hpp"

namespace ringcast {

KeptCells::KeptCells(const std::filesystem::path& output, const std::string& plan, bool fresh)
    : cells_{"cells of " + plan},
      notes_{"notes of " + plan},
      store_{target_of(output).string() + ".partial", TextStore::Access::exclusive,
             "finished cells are not kept"} {
  make_folder_of(file());
  // Without a file the first cell creates it.
  store_.with(false, [&](TextStore& store) {
    if (fresh) {
      store.clear(cells_);
    }
    const std::size_t found = store.size(cells_);
    if (const std::size_t others = store.size("cells of *") - found; others > 0) {
      print_message(
          fmt::format("ringcast: {}: {} of an interrupted run with other options or another "
                      "scenario, dropped when this run is complete\n",
                      file().string(), counted(others, "result")));
    }
    if (found > 0) {
      print_message(
          fmt::format("ringcast: {}: {} of an interrupted run taken up (--fresh ignores {})\n",
                      file().string(), counted(found, "result"), found == 1 ? "it" : "them"));
    }
  });
}

}  // namespace ringcast
