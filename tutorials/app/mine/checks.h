// What ./heed translate --mine and ./heed generate --mine do before they train: each chosen part is compared with the
// library, alone, and then all of them in one model. A line for each part of the model says whose it is.
#pragma once

#include "tutorials/app/mine/part.h"

namespace heed::app {

// The parts of a list, "all" or "none" of those that this program has for the model `use`, r, t or g (part.h).
// InputError, which begins with the command, for another name.
std::vector<Part> chosen_parts(const std::string& command, const std::string& list, char use);
Pieces pieces_of(const std::vector<Part>& chosen);  // the library's, and these in their places

// Checks each and prints the table of all parts of the model. True if all agree; else a last line says that nothing is
// trained.
bool check_parts(const std::vector<Part>& chosen, char use);
bool check_whole(const std::string& name, const Pieces& pieces, void (*compare)(const Pieces&, Comparison&));

void print_verdict(const std::string& name, const std::string& exercise, bool good, const std::string& text);
std::string list_of(char use);  // the parts and their exercises, a line each, for --help

}  // namespace heed::app
