// Every fused operation beside its composed twin: forward and backward, the same work under the same name. bench_heed
// runs the fused one, bench_composed the twin, as if it were a peer: `./heed bench --twins` tells what a fusion bought.
#pragma once

#include "tests/bench/subject.h"

namespace bench {

std::map<std::string, Maker> twins(bool composed);

}  // namespace bench
