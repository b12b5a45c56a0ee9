// The main function of every program: turns exceptions into one sentence on standard error and an exit code.
//
//   int main(int argc, char** argv) { return heed::app::run_main(argc, argv, [](int c, char** v) { ...; return 0; }); }
//
// clang-format off
//   0     success
//   1     a claim or a check failed
//   2     wrong input, or output that cannot be written
//   3     no memory, a processor that lacks instructions, or a fault of heed ("internal error")
//   130   interrupted
//   141   the reader of the output closed it (`| head`); that is no error, so nothing is printed
// clang-format on
//
// Before everything else, even static initialisers, the program checks that the processor has the instructions that it
// was compiled for. If not, it ends with a sentence and exit code 3, not with an illegal instruction.
#pragma once

#include <functional>

namespace heed::app {

int run_main(int argc, char** argv, const std::function<int(int, char**)>& work);

}  // namespace heed::app
