// What every executable's main does around its work: from exceptions to exit codes, each failure one sentence.
//
//   int main(int argc, char** argv) { return heed::app::run_main(argc, argv, [](int c, char** v) { ...; return 0; }); }
//
//   0 success · 1 a claim or a check failed · 2 the user's input, or output that cannot be written · 3 internal ·
//   130 interrupted · 141 the reader of the output closed it (`| head`), which is no error: nothing is printed
//
// Before anything else runs, static initialisers included, the processor is asked for the instructions that this binary
// was compiled for: a sentence and exit code 3 instead of an illegal instruction.
#pragma once

#include <functional>

namespace heed::app {

int run_main(int argc, char** argv, const std::function<int(int, char**)>& work);

}  // namespace heed::app
