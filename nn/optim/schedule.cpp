#include "nn/optim/schedule.h"

#include <fmt/format.h>

namespace heed::nn {

void Schedule::start() {
  OptionFields all;
  fields(all);
  require_options(kind(), all.all);
  check();
}

io::SafeTensors Schedule::save_state() const {
  io::SafeTensors file;
  file.metadata["schedule"] = kind();
  OptionFields all;
  const_cast<Schedule*>(this)->fields(all);  // save_fields only reads the fields
  save_fields(file, "", all.all);
  return file;
}

void Schedule::load_state(const io::SafeTensors& file, const std::string& what) {
  std::string found = metadata_at(file, "schedule");
  if (found.empty()) throw IoError(fmt::format("load: \"{}\": holds no state of a schedule", what));
  if (found != kind())
    throw IoError(fmt::format("load: \"{}\": must hold the state of {}; got {}", what, kind(), found));
  OptionFields all;
  fields(all);
  load_or_restore(what, all.all, [&] {
    read_fields(file, what, "", all.all);
    start();
  });
}

void require_after_warmup(const char* kind, int64_t warmup, int64_t total) {
  if (total < warmup)
    throw ValueError(
        fmt::format("{}: the total must be at least the warm-up; got {} for a warm-up of {}", kind, total, warmup));
}

}  // namespace heed::nn
