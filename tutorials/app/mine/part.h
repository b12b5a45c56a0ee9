// A part: a function of an exercise, and how it gets into a model: the recurrent translator, the transformer, the GPT.
//
// Each file of parts/ is one part. It includes the exercise's header, adapts the learner's function to the piece that
// it replaces (usually a loop over a batch), and compares it with the library:
//
//   const Registered part({.name = "clip", .exercise = "06.2", .check = check, .use = use});
//
// tutorials/app/mine/parts.inc lists all with the exercise of each; a program contains those that it was built with,
// each with the learner's file, the solution, or the file with the gap (tutorials/programs.cmake).
#pragma once

#include <string>
#include <vector>

#include "autograd/gradcheck.h"
#include "tutorials/app/mine/pieces.h"

namespace heed::app {

// Compares what the learner's function computes with what the library computes. The first difference is kept in words,
// and the comparison goes on: error is the largest relative error of all.
class Comparison {
 public:
  // |mine - library| <= allowed * max(1, max |library|); NaN, infinities and another shape are differences.
  void value(const std::string& what, const Tensor& mine, const Tensor& library, double allowed = 1e-9);
  void value(const std::string& what, const std::vector<double>& mine, const std::vector<double>& library,
             double allowed = 1e-9);
  // Two functions of f64 tensors: their values and their gradients, and the gradient of `mine` against finite
  // differences (autograd/gradcheck.h).
  void functions(const std::string& what, const GradcheckFunction& mine, const GradcheckFunction& library,
                 const std::vector<Tensor>& inputs);
  void refuse(const std::string& sentence);  // a difference in other words

  bool agrees() const { return difference_.empty(); }
  const std::string& difference() const { return difference_; }
  // "values and gradients agree with the library (max relative error 2e-16; finite differences 3e-10)"
  std::string summary() const;
  std::string error() const;  // "max relative error 2e-16", or "exactly"

 private:
  std::string difference_;
  double error_ = 0, against_differences_ = 0;
  bool gradients_ = false;
};

struct Part {
  std::string name, exercise;  // "softmax", "04.1"
  void (*check)(Comparison&);  // compares the learner's function with the library
  void (*use)(Pieces&);        // puts it in its place
};

// The parts of this program, in the order of their exercises.
const std::vector<Part>& linked_parts();

struct Row {  // of parts.inc
  std::string name, lesson, file, uses;
  std::string exercise() const { return lesson.substr(0, 2) + "." + file.substr(0, 1); }
};
std::vector<Row> rows_of(char use);  // the parts of the model r, t or g, linked or not

struct Registered {
  explicit Registered(Part part);
};

// "04.1" -> "./heed exercise 04 1"
std::string command_for(const std::string& exercise);

// Errors in a part's gradient function: the engine differentiates these operations once.
void require_first_derivative(bool recording, const char* operation);

}  // namespace heed::app
