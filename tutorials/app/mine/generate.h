// ./heed generate --mine: a small GPT that learns to write the English of lesson 27 letter by letter, with functions
// that the learner wrote in place of the library's.
#pragma once

namespace heed::app {

int generate_mine_main(int argc, char** argv);  // of the program of ./heed translate --mine (main.cpp)

}  // namespace heed::app
