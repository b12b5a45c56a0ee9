// accuracy: the error of every numerical kernel, measured against the same formula in long double.
//
//   accuracy [--quick] [--over] [--tighten N]       ./heed test --accuracy is the whole sweep
//
// Exit code 0 if every row is within its bound, 1 if one is over, 2 for unknown options.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tensor/error.h"
#include "tests/accuracy/table.h"
#include "tutorials/common/main.h"
#include "tutorials/common/output.h"

using namespace heed;

namespace {

constexpr const char* kHelp = R"(accuracy: the error of every numerical kernel against long double
usage: accuracy [--quick] [--over] [--tighten N]

  --quick      a smaller sweep of a few seconds, the one that is a test of every build
  --over       only the rows that are over their bound
  --tighten N  every bound divided by N >= 1, to see that the check can fail
  --help       this text
  --version    the version, and the commit that was built

ulp: units in the last place of the exact result. eps: the error divided by the type's epsilon and by the size of what
was added up. Exit code 1 if a row is over its bound.
)";

[[noreturn]] void refuse(const std::string& why) {
  throw InputError(fmt::format("accuracy: {}; hint: accuracy --help", why));
}

std::string number(double x) {
  return x == 0 ? "0" : x < 0.01 || x >= 1e5 ? fmt::format("{:.1e}", x) : fmt::format("{:.2f}", x);
}

int run(int argc, char** argv) {
  accuracy::Sweep sweep;
  bool only_over = false;
  double tighten = 1;
  for (int i = 1; i < argc; ++i) {
    std::string option = argv[i];
    if (option == "--help" || option == "-h") {
      std::fputs(kHelp, stdout);
      return 0;
    }
    if (option == "--quick") {
      sweep.quick = true;
    } else if (option == "--over") {
      only_over = true;
    } else if (option == "--tighten") {
      char* end = nullptr;
      const char* text = i + 1 < argc ? argv[++i] : "";
      tighten = std::strtod(text, &end);
      if (*text == 0 || *end != 0 || !std::isfinite(tighten) || tighten < 1)
        refuse(fmt::format("--tighten needs a number of at least 1; got \"{}\"", text));
    } else {
      refuse(fmt::format("options are --quick, --over, --tighten N, --help and --version; got \"{}\"", option));
    }
  }

  accuracy::Table table(sweep);
  size_t printed = 0, over = 0;
  fmt::print("{:<34} {:<4} {:<34} {:>9} {:>9} {:>9}\n", "kernel", "type", "inputs", "largest", "median", "bound");
  for (auto part : {accuracy::add_functions, accuracy::add_sums, accuracy::add_softmax, accuracy::add_norms,
                    accuracy::add_attention, accuracy::add_optimisers, accuracy::add_conversions}) {
    part(table);
    for (; printed < table.rows.size(); ++printed) {
      accuracy::Row row = table.rows[printed];
      row.bound /= tighten;
      over += !row.ok();
      if (only_over && row.ok()) continue;
      fmt::print("{:<34} {:<4} {:<34} {:>9} {:>9} {:>9} {} {}\n", row.kernel, row.type, row.inputs, number(row.largest),
                 number(row.median), number(row.bound), row.unit, row.ok() ? "ok" : "over");
    }
    app::flush_output();
  }
  fmt::print("{} rows, {} over their bound\n", printed, over);
  return over ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) { return app::run_main(argc, argv, run); }
