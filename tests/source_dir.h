// The folder of heed's sources, for tests that read files of it.
#pragma once

#include <string>

std::string source_dir();
