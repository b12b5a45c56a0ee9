// Temporary files of a writer (file.h), and what killed writers have left of them.
//
//   .heed-5d1c0f3a9b7e2468.tmp     64 random bits, created with O_EXCL: two writers never share a name
//
// A process number in the name would repeat: every container counts from 1. A writer therefore holds flock(2) on its
// temporary file, and the system releases that lock however the writer ends. A temporary file that can be locked has no
// writer any more and is deleted by the next one.
#pragma once

#include <string>

namespace heed::io {

struct Temporary {
  std::string path;
  int file = -1;  // open for writing and locked; -1: it could not be created, errno says why
};
Temporary create_temporary(const std::string& folder);

// Deletes the temporary files of dead writers. Where locks do not reach other machines (some network file systems), a
// living writer looks dead: a file is deleted only if it was not written to for ten minutes, or if the caller holds the
// folder (`held`, owned_folder.h), so that nobody else writes there. Failures are ignored.
void clear_temporaries(const std::string& folder, bool held);

}  // namespace heed::io
