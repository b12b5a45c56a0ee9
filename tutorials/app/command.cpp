// A sub-command as a program of its own, bin/heed_NAME. ./heed builds and runs these: each needs only a part of the
// library, while the program `heed` needs all of it. HEED_NAME is the sub-command's name, HEED_COMMAND its main.
#include "tutorials/app/commands.h"
#include "tutorials/common/main.h"

int main(int argc, char** argv) {
  char name[] = HEED_NAME;
  argv[0] = name;
  return heed::app::run_main(argc, argv, heed::app::HEED_COMMAND);
}
