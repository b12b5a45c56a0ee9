#include "tensor/scope.h"

#include <deque>
#include <map>
#include <mutex>
#include <utility>

namespace heed {
namespace {

// One table for all threads. Paths are few (one per module) and live until the program ends.
struct PathTable {
  std::mutex mutex;
  std::deque<std::string> names{""};
  std::map<std::pair<PathId, std::string>, PathId, std::less<>> children;
};
PathTable& table() {
  static PathTable paths;
  return paths;
}

}  // namespace

const std::string& path_name(PathId path) {
  std::lock_guard lock(table().mutex);
  return table().names.at(path);  // a deque never moves its elements
}

PathId extend_path(PathId parent, std::string_view name) {
  PathTable& paths = table();
  std::lock_guard lock(paths.mutex);
  auto key = std::pair(parent, std::string(name));
  if (auto found = paths.children.find(key); found != paths.children.end()) return found->second;
  const std::string& prefix = paths.names.at(parent);
  paths.names.push_back(prefix.empty() ? key.second : prefix + "." + key.second);
  return paths.children[key] = static_cast<PathId>(paths.names.size() - 1);
}

std::string describe(std::string_view operation, PathId path) {
  std::string text(operation);
  if (path) text += " in " + path_name(path);
  return text;
}

}  // namespace heed
