// Fuzzes the reading of options from a model file (nn/options.h). The first line of an input is the name of a paper or,
// for the options of a training run, "fit"; lines key=value replace or add options. Only an IoError
// may refuse the options of a model, and only an IoError or a ValueError those of a training run. Options that were
// accepted must be the same after they are written and read. A small model with them must run, or be refused with one
// sentence.
#include "nn/train/fit_options.h"
#include "tests/fuzz/options_lines.h"

using namespace heed;
using fuzz::accepted_from_model, fuzz::changed, fuzz::must;

namespace {

void check_fit(const std::vector<std::string>& lines) {
  nn::FitOptions o;
  io::Json j = changed(nn::json_of(nn::fields_of(o)), lines);
  if (!accepted_from_model<IoError, ValueError>([&] {
        nn::read_option_fields(nn::fields_of(o), j);
        nn::require_known(o);
      }))
    return;
  nn::FitOptions again;
  nn::read_option_fields(nn::fields_of(again), nn::json_of(nn::fields_of(o)));
  must(nn::json_of(nn::fields_of(again)) == nn::json_of(nn::fields_of(o)), "fit: written, it is the same");
  accepted_from_model<ValueError>([&] { nn::make_schedule(o, 100); });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > 1000) return 0;
  std::vector<std::string> lines = fuzz::split(fuzz::text_of(data, size), "\n");
  if (lines[0] == "fit") return check_fit(lines), 0;
  nn::AnyPaper o = fuzz::paper_or_bahdanau(lines[0]);
  io::Json j = changed(nn::to_json(o), lines);
  if (!accepted_from_model<IoError>([&] { o = nn::paper_from(j); })) return 0;
  io::Json written = nn::to_json(o);
  must(nn::to_json(nn::paper_from(io::parse(written.dump(), "F"))) == written, "written, it is the same");
  accepted_from_model<IoError, ValueError, ShapeError>([&] { nn::try_out(o); });
  return 0;
}
