// heed drawing: the drawings of the course (tutorials/course/drawings), as SVG files.
//
//   heed drawing --list             their names and titles
//   heed drawing strides            one, to standard output
//   heed drawing --all DIR          all of them, DIR/NAME.svg
#include <fmt/format.h>

#include <string>
#include <vector>

#include "nn/io/file.h"
#include "nn/io/owned_folder.h"
#include "tensor/error.h"
#include "tutorials/app/commands.h"
#include "tutorials/common/options.h"
#include "tutorials/common/output.h"
#include "tutorials/course/drawings/drawings.h"

namespace heed::app {

int drawing_main(int argc, char** argv) {
  std::string name, folder;
  bool list = false;
  Options options("heed drawing", "The drawings of the course, made from the library itself, as SVG files.");
  options.positional("NAME", &name, "print one drawing");
  options.flag("--list", &list, "show the names and titles of all drawings");
  options.add("--all", &folder, "write all drawings to the folder DIR").placeholder("DIR");
  options.parse(argc, argv);
  const int asked = (name.empty() ? 0 : 1) + (list ? 1 : 0) + (folder.empty() ? 0 : 1);
  if (asked != 1)
    throw InputError(
        fmt::format("drawing: needs exactly one of NAME, --list and --all DIR; got {}; heed drawing --list "
                    "shows the names",
                    asked == 0 ? "none" : "several"));
  if (!folder.empty()) {
    io::FolderKind kind{.command = "drawing", .owner = "", .files = {}, .hint = "--all names another folder"};
    kind.marked = false;  // in the source tree the drawings are in a folder with other files
    for (const course::Drawing& drawing : course::drawings()) kind.files.push_back(drawing.name + ".svg");
    const io::OwnedFolder to(folder, kind);
    for (const course::Drawing& drawing : course::drawings())
      io::atomic_write(to.file(drawing.name + ".svg"), course::svg_of(drawing));
    tell("{} drawings in {}\n", course::drawings().size(), folder);
    return 0;
  }
  if (list) {
    for (const course::Drawing& drawing : course::drawings()) tell("  {:<16} {}\n", drawing.name, drawing.title);
    return 0;
  }
  const course::Drawing* drawing = course::drawing_called(name);
  if (!drawing) {
    std::vector<std::string> names;
    for (const course::Drawing& one : course::drawings()) names.push_back(one.name);
    const std::string hint = nearest(name, names);
    throw InputError(fmt::format("drawing: NAME must be one of the drawings; got \"{}\"; {}", name,
                                 hint.empty() ? "heed drawing --list shows them" : "the nearest is " + hint));
  }
  fmt::print("{}", course::svg_of(*drawing));
  return 0;
}

}  // namespace heed::app
