// What a program does as one of several processes, beside training: the same start everywhere, and one end.
//
//   rank 0        reads options, files and texts, and sends them; writes the folder; prints
//   the others    compute, and are silent; standard output of theirs goes nowhere
//
// An error that all ranks meet is told by rank 0. One that a single rank meets is told by that rank, by its number and
// machine, and ends the job. In one process all of this does nothing.
#pragma once

#include <functional>
#include <string>

#include "nn/ranks.h"
#include "tutorials/app/translate_data.h"

namespace heed::app {

// Calls work in a job's ranks, and ends them together. Returns the exit code.
int with_ranks(int argc, char** argv, const std::function<int(nn::Ranks&, int, char**)>& work);

// Calls `make` on rank 0 and gives its text to all. What it throws ends all ranks, and rank 0 alone tells it.
std::string from_root(nn::Ranks& ranks, const std::function<std::string()>& make);

// InputError that names the ranks with another program or other options than rank 0. Before that rank 0 tells which
// process is which rank, under launchers that do not name the rank of a process that was killed.
void require_one_program(nn::Ranks& ranks, int argc, char** argv);

// What training needs of the texts.
std::string packed(const TranslateData& data);
TranslateData unpacked_data(const std::string& bytes);

}  // namespace heed::app
