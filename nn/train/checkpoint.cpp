#include "nn/train/checkpoint.h"

#include <fmt/format.h>

#include <map>

namespace heed::nn {
namespace {

constexpr const char *kKind = "heed.kind", *kKindValue = "training checkpoint 1", *kParts = "heed.parts";

template <class T>
Part part_of(const std::string& name, T& thing) {
  return {name, [&thing] { return thing.save_state(); },
          [&thing](const io::SafeTensors& s, const std::string& what) { thing.load_state(s, what); }};
}

std::string names_of(const Parts& parts) {
  std::map<std::string_view, int> names;
  for (const Part& p : parts) {
    if (p.name.empty() || p.name.find_first_of(". ") != std::string::npos || p.name == "heed")
      throw ValueError(fmt::format(
          "checkpoint: the name of a part must be a word without dots and spaces, not heed; got \"{}\"", p.name));
    if (names[p.name]++)
      throw ValueError(fmt::format("checkpoint: parts must have different names; got two {}", p.name));
  }
  std::string out;
  for (const auto& [name, unused] : names) out += fmt::format("{}{}", out.empty() ? "" : " ", name);
  return out;
}

// Splits the file by the names of the parts.
std::map<std::string, io::SafeTensors> split(const Parts& parts, const io::SafeTensors& file, const std::string& what) {
  std::map<std::string, io::SafeTensors> states;
  for (const Part& p : parts) states[p.name];
  auto place = [&](const std::string& key) -> io::SafeTensors& {
    auto found = states.find(key.substr(0, key.find('.')));
    if (found == states.end() || key.find('.') == std::string::npos)
      throw IoError(fmt::format("load: \"{}\": each name must begin with that of a part; got {}", what, key));
    return found->second;
  };
  auto rest = [](const std::string& key) { return key.substr(key.find('.') + 1); };
  for (const auto& [name, t] : file.tensors) place(name).tensors.emplace_back(rest(name), t);
  for (const auto& [key, text] : file.metadata)
    if (key != kKind && key != kParts) place(key).metadata[rest(key)] = text;
  return states;
}

}  // namespace

Part part(const std::string& name, Optimizer& optimizer) { return part_of(name, optimizer); }
Part part(const std::string& name, Schedule& schedule) { return part_of(name, schedule); }
Part part(const std::string& name, ParameterAverage& average) { return part_of(name, average); }
Part part(const std::string& name, WindowAverage& average) { return part_of(name, average); }

io::SafeTensors save_parts(const Parts& parts) {
  io::SafeTensors file;
  file.metadata = {{kKind, kKindValue}, {kParts, names_of(parts)}};
  for (const Part& p : parts) {
    io::SafeTensors state = p.save();
    for (auto& [name, t] : state.tensors) file.tensors.emplace_back(p.name + "." + name, std::move(t));
    for (auto& [key, text] : state.metadata) file.metadata[p.name + "." + key] = std::move(text);
  }
  return file;
}

void load_parts(const Parts& parts, const io::SafeTensors& file, const std::string& what) {
  std::string names = names_of(parts);
  if (std::string kind = metadata_at(file, kKind); kind != kKindValue)
    throw IoError(fmt::format("load: \"{}\": must be a \"{}\"; got \"{}\"", what, kKindValue, kind));
  if (metadata_at(file, kParts) != names)
    throw IoError(
        fmt::format("load: \"{}\": must hold the parts \"{}\"; got \"{}\"", what, names, metadata_at(file, kParts)));
  std::map<std::string, io::SafeTensors> states = split(parts, file, what), before;
  for (const Part& p : parts) before[p.name] = p.save();
  size_t done = 0;
  try {
    for (; done < parts.size(); ++done) parts[done].load(states[parts[done].name], what + "#" + parts[done].name);
  } catch (...) {
    for (size_t i = 0; i < done; ++i) parts[i].load(before[parts[i].name], what);
    throw;
  }
}

void save_checkpoint(const std::string& path, const Parts& parts) { io::save_safetensors(path, save_parts(parts)); }
void load_checkpoint(const std::string& path, const Parts& parts) {
  load_parts(parts, io::load_safetensors(path), path);
}

}  // namespace heed::nn
