#include "nn/optim/schedule.h"

#include <fmt/format.h>

namespace heed::nn {

io::SafeTensors Schedule::save_state() const {
  io::SafeTensors file;
  file.metadata["schedule"] = kind();
  save_fields(file, "", const_cast<Schedule*>(this)->fields());  // save_fields only reads the fields
  return file;
}

void Schedule::load_state(const io::SafeTensors& file, const std::string& what) {
  std::string found = metadata_at(file, "schedule");
  if (found.empty()) throw IoError(fmt::format("load: \"{}\": holds no state of a schedule", what));
  if (found != kind())
    throw IoError(fmt::format("load: \"{}\": must hold the state of {}; got {}", what, kind(), found));
  Fields all = fields();
  FieldValues before = current_values(all);
  assign(all, read_fields(file, what, "", all));
  try {
    check();
  } catch (const ValueError& e) {
    assign(all, before);
    throw IoError(fmt::format("load: \"{}\": {}", what, e.what()));
  }
}

}  // namespace heed::nn
