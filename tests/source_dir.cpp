#include "tests/source_dir.h"

std::string source_dir() { return HEED_SOURCE_DIR; }
