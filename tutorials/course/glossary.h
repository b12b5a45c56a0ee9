// The glossary: tutorials/course/glossary.md, one line per term,
//
//   **key padding mask**: which keys are words and which only fill up the batch.
//
// A page shows the definition at the first use of a term in a section. Terms are found without regard to capitals, as
// whole words, in the singular and with a plural s; of two terms that begin at the same place the longer one is taken.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "tutorials/course/markdown.h"

namespace heed::course {

// The words of a node, with formulas as plain text: w_i = e^x_i / ∑_j e^x_j.
std::string readable_text(Node node);

struct Term {
  std::string name = {}, definition = {};  // the definition in Markdown, one line
  std::string plain = {};                  // the definition without mark-up
  std::string anchor = {};                 // in glossary.html
};

class Glossary {
 public:
  Glossary() = default;
  Glossary(const std::string& text, const std::string& file);  // InputError where a line is no term

  const std::vector<Term>& terms() const { return terms_; }

  struct Hit {
    std::size_t begin = std::string::npos, size = 0;
    const Term* term = nullptr;
  };
  // The first term in `text` from `from` on whose name is not in `seen`.
  Hit find(const std::string& text, std::size_t from, const std::set<std::string>& seen) const;

 private:
  std::vector<Term> terms_;           // by name
  std::vector<std::string> lowered_;  // their names in lower case
};

}  // namespace heed::course
