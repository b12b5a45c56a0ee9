// A test that a call is refused, which leaves the wording of the sentence free:
//
//   refuses<ShapeError>("reshape: got [2] 2 [3]", [] { zeros({2}).reshape({3}); });
//
// accepts the sentence
//
//   reshape: the number of elements must stay; got [2] (2 elements) to [3]
//
// because it is a ShapeError, has the operation and the form  operation: rule; got ..; hint,  and contains the numbers,
// shapes and words of the row in this order; "got" stands for "; got". A row without a type means ValueError.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <typeinfo>
#include <vector>

#include "tensor/error.h"
#include "tests/run_test_case.h"

namespace heed::bad_input {

// A call to try. std::function would do, and take the compiler half a minute for more than a thousand of them.
class Attempt {
 public:
  template <class F>
  Attempt(const F& f) : f_(&f), call_([](const void* g) { (*static_cast<const F*>(g))(); }) {}
  void operator()() const { call_(f_); }

 private:
  const void* f_;
  void (*call_)(const void*);
};

struct Refusal {
  const std::type_info* type;
  std::string row, sentence;  // what was wanted, and what was said
  const char* file;
  int line;
};
// Of all rows of a folder. Its test cases that have not run yet are run first, but for those whose names begin with
// "all rows:", because they call this function.
std::vector<Refusal> refusals_of(const std::string& folder);
// Sentences show this folder as ~.
std::string& shown_as_home();

// The words after the operation. [2, 3] counts as one word, and so does (0, 1].
std::vector<std::string> words_of(const std::string& row);
// Does the sentence have the operation and all words of the row?
bool accepts(const std::string& row, const std::string& sentence);

void require_refusal(const std::type_info& type, const std::string& row, const Attempt& f, const char* file, int line);
// f must throw an E, exactly, with such a sentence.
template <class E = ValueError>
void refuses(const char* row, const Attempt& f, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  require_refusal(typeid(E), row, f, file, line);
}

// The message of the error that f throws, provided that its type is exactly E.
template <class E, class F>
std::string message_of(F f) {
  try {
    f();
  } catch (const std::exception& error) {
    return typeid(error) == typeid(E) ? error.what() : std::string("another type of error: ") + error.what();
  }
  return "no error";
}

}  // namespace heed::bad_input
