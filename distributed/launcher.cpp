#include <cstdlib>

#include "distributed/join.h"

namespace heed::distributed {

const char* launched_by() {
  // Open MPI; MPICH and Intel MPI, whose launcher speaks PMI; Slurm's srun with either, or with PMIx.
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "MPI_LOCALRANKID"})
    if (const char* rank = std::getenv(name); rank && *rank) return name;
  return "";
}

}  // namespace heed::distributed
