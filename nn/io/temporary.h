// The temporary files of AtomicFile (file.h), and the deletion of those that killed writers have left.
//
//   .heed-5d1c0f3a9b7e2468.tmp     64 random bits, created with O_EXCL: two writers never share a name
//
// Names with the process number would repeat, since every container counts from 1. To show that it is alive, a writer
// holds flock(2) on its temporary file; the system releases the lock when the writer ends, for whatever reason. A
// temporary file that can be locked has no writer any more, and the next writer in the folder deletes it.
#pragma once

#include <string>

namespace heed::io {

struct Temporary {
  std::string path;
  int file = -1;  // open for writing and locked; -1: it could not be created, errno says why
};
Temporary create_temporary(const std::string& folder);

// Deletes the temporary files of dead writers. On some network file systems, locks are not visible to other machines,
// so a living writer looks dead. A file is therefore deleted only if it was not written to for ten minutes, or if the
// caller holds the lock of the folder (`held`, owned_folder.h), so that nobody else writes there. Failures are ignored.
void clear_temporaries(const std::string& folder, bool held);

}  // namespace heed::io
