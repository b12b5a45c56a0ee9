// Exercise 27.1 in a GPT: from which letters the next one is drawn.
#include "tutorials/27_decoder/exercises/1_top_p.h"
#include "tutorials/app/mine/part.h"

namespace heed::app {
namespace {

void check(Comparison& c) {
  const Pieces library = library_pieces();
  const std::vector<double> p{0.15, 0.45, 0.05, 0.3, 0.05};
  for (double top_p : {0.4, 0.7, 0.9, 1.0})
    c.value("what is kept with top-p " + std::to_string(top_p).substr(0, 3), mine::nucleus(p, top_p),
            library.nucleus(p, top_p));
}

void use(Pieces& pieces) { pieces.nucleus = mine::nucleus; }

const Registered part({.name = "top_p", .exercise = "27.1", .check = check, .use = use});

}  // namespace
}  // namespace heed::app
