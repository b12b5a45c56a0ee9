// Built on systems without MPI.
#include <fmt/format.h>

#include "distributed/join.h"
#include "tensor/error.h"
#include "tensor/processors.h"

namespace heed::distributed {

nn::Ranks& join() {
  if (const char* name = launched_by(); *name)
    throw InputError(
        fmt::format("train: several processes need a heed that was built with MPI; got one without, started by a "
                    "launcher ({} is set); hint: install libopenmpi-dev and build again, or start one process",
                    name));
  return nn::alone();
}
bool joined() { return false; }
int64_t share_of_processors() { return usable_processors(); }
bool all_leave(bool) { return true; }
void leave(int, bool) {}

}  // namespace heed::distributed
