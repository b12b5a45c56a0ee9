#include "nn/optim/fields.h"

#include <fmt/format.h>

namespace heed::nn {

void save_fields(io::SafeTensors& file, const std::string& prefix, const std::vector<OptionField>& fields) {
  for (const OptionField& f : fields) file.metadata[prefix + f.name] = text_of(f);
}

void read_fields(const io::SafeTensors& file, const std::string& what, const std::string& prefix,
                 const std::vector<OptionField>& fields) {
  for (OptionField f : fields) {
    f.name = prefix + f.name;
    auto found = file.metadata.find(f.name);
    if (found == file.metadata.end()) throw IoError(fmt::format("load: \"{}\": {} is missing", what, f.name));
    try {
      set_text(f, found->second);
    } catch (const ValueError& e) { throw IoError(fmt::format("load: \"{}\": {}", what, e.what())); }
  }
}

void load_or_restore(const std::string& what, const std::vector<OptionField>& fields,
                     const std::function<void()>& load) {
  std::vector<std::string> before;
  for (const OptionField& f : fields) before.push_back(text_of(f));
  auto restore = [&] {
    for (size_t i = 0; i < fields.size(); ++i) set_text(fields[i], before[i]);
  };
  try {
    load();
  } catch (const ValueError& e) {
    restore();
    throw IoError(fmt::format("load: \"{}\": {}", what, e.what()));
  } catch (...) {
    restore();
    throw;
  }
}

std::string metadata_at(const io::SafeTensors& file, const std::string& key) {
  auto found = file.metadata.find(key);
  return found == file.metadata.end() ? "" : found->second;
}

}  // namespace heed::nn
