// The description of an entry of the catalogue, beside its struct or function. It is made of literals, so that a source
// that includes it pays nothing for it. The rest of the entry is derived from the struct (nn/attention/describe.h).
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <vector>

namespace heed::nn {

// A short list of literals. One that is too long does not compile.
template <class T>
struct Literals {
  T items[12] = {};
  size_t count = 0;

  constexpr Literals() = default;
  constexpr Literals(std::initializer_list<T> given) {
    for (const T& one : given) items[count++] = one;
  }
  constexpr const T* begin() const { return items; }
  constexpr const T* end() const { return items + count; }
};

// The uses of a stage whose name the options leave out. For each use, one row of the kind is the default.
enum class Role {
  stage,          // anywhere else
  head,           // a score in multi-head attention
  unscaled_head,  // the same, where the position is made for products without a root
  causal,         // a scope in self-attention that must not see later words
  embedding,      // a position that is added to the embedding
  learned_query   // a score in attention pooling, whose query is a parameter
};

struct Exempt {
  const char *property, *reason;
};

struct Citation {
  const char* text;  // authors, place, year
  int year, tier;    // tier 1 was built first
};

struct About {
  Literals<const char*> names;  // its id, "A5"; its name in options, "additive"; its other names
  const char* family = "";      // the heading under which it is listed, where it is not that of its kind
  const char* formula;          // in one line
  Citation paper;
  const char *idea, *wrong;  // in three plain sentences; a common mistake
  const char* shapes = "";   // may be left out by a mixer: x [B, T, D] -> [B, T, D]
  const char* cost;
  Literals<const char*> own = {};  // properties beyond those of its kind, which the tests check
  Literals<Exempt> exempt = {};    // properties of its kind that it cannot have, and why
  // The text that the tests try, if it is not the name alone: the stage with small settings, entmax:learned=1; for a
  // reader, the normaliser before it.
  const char* tried = "";
  const char* cases = "";               // its row of the case table; none: case_row says which
  Literals<Role> default_for = {};      // the uses in which it is the default
  Literals<const char*> variants = {};  // further names under which it is made in another form
  const char* architecture = "";        // the only one that has it as a part or an option; "": not one alone
  const char *option = "", *text = "";  // `heed train --option text` chooses it; "": the option of its kind, its name
  const char* more = "";  // what else it needs, and where it is refused; without an option: what it is for
  const char* file = __builtin_FILE();  // its source file

  constexpr const char* id() const { return names.items[0]; }
  constexpr const char* name() const { return names.items[1]; }
};

}  // namespace heed::nn
