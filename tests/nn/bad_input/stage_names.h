// Sentences that list the stages of a kind: every new row of the registry changes them, so the rows of the table say
// "all positions" in place of the names.
#pragma once

#include <fmt/ranges.h>

#include <initializer_list>
#include <string>

#include "nn/attention/registry.h"
#include "tensor/error.h"

namespace heed::bad_input {

// Calls f; in the sentence of its ValueError the names of these kinds are replaced.
template <class F>
void without_names(std::initializer_list<nn::Kind> kinds, const F& f) {
  try {
    f();
  } catch (const ValueError& error) {
    std::string text = error.what();
    for (nn::Kind kind : kinds) {
      std::string names = fmt::format("{}", fmt::join(nn::stage_names(kind), ", "));
      if (size_t at = text.find(names); at != std::string::npos)
        text.replace(at, names.size(), "all " + nn::name_of(kind) + "s");
    }
    throw ValueError(text);
  }
}

}  // namespace heed::bad_input
