// Cases of autograd/ops_matmul.h and ops_einsum.h: vectors, matrices, batches that broadcast, and every axis at size 0.
#include "autograd/cases/layouts.h"
#include "autograd/ops.h"

namespace heed {
namespace {

BaseCase of_shapes(const std::string& text, const std::vector<Shape>& shapes, const GradcheckFunction& f) {
  std::string label = text;
  for (const Shape& shape : shapes) label += (label.empty() ? "" : " ") + to_string(shape);
  return {.label = label, .shapes = shapes, .f = f};
}

}  // namespace

std::vector<CaseRow> matmul_cases() {
  using Shapes = std::vector<Shape>;
  std::vector<BaseCase> products, affines, contractions;
  for (const Shapes& s : {Shapes{{2, 2}, {2, 2}},
                          {{3, 3}, {3, 3}},
                          {{2, 3}, {3, 4}},
                          {{3}, {3}},
                          {{3}, {3, 2}},
                          {{2, 3}, {3}},
                          {{2, 2, 3}, {3}},
                          {{3}, {2, 3, 2}},
                          {{2, 2, 3}, {2, 3, 2}},
                          {{2, 2, 3}, {3, 2}},
                          {{2, 3}, {2, 3, 2}},
                          {{1, 2, 3}, {3, 2}},
                          {{2, 1, 2, 3}, {3, 3, 2}},
                          {{1, 1}, {1, 1}},
                          {{2, 0}, {0, 3}},
                          {{0, 3}, {3, 2}},
                          {{2, 2, 0}, {0, 3}},
                          {{0, 2, 3}, {3, 2}},
                          {{2, 2, 3}, {3, 0}},
                          {{2, 0, 3}, {2, 3, 2}},
                          {{0, 2, 3}, {1, 3, 2}}})
    products.push_back(of_shapes("", s, [](In in) { return matmul(in[0], in[1]); }));
  products.push_back(of_shapes("a a through one handle", {{3, 3}}, [](In in) { return matmul(in[0], in[0]); }));
  products.push_back(
      of_shapes("a a^T through one handle", {{2, 3}}, [](In in) { return matmul(in[0], transpose(in[0], 0, 1)); }));
  for (const Shape& x : {Shape{3}, Shape{2, 3}, Shape{2, 2, 3}, Shape{0, 3}, Shape{2, 0, 3}}) {
    affines.push_back(of_shapes("", {x, {2, 3}}, [](In in) { return linear(in[0], in[1], {}); }));
    affines.push_back(of_shapes("", {x, {2, 3}, {2}}, [](In in) { return linear(in[0], in[1], in[2]); }));
  }
  affines.push_back(of_shapes("", {{2, 2}, {2, 2}, {2}}, [](In in) { return linear(in[0], in[1], in[2]); }));
  for (const auto& [equation, shapes] :
       std::vector<std::pair<std::string, Shapes>>{{"ik,kj->ij", {{3, 3}, {3, 3}}},
                                                   {"ik,kj", {{2, 3}, {3, 2}}},
                                                   {"bij,bjk->bik", {{2, 2, 3}, {2, 3, 2}}},
                                                   {"bqhd,bkhd->bhqk", {{2, 2, 2, 3}, {2, 3, 2, 3}}},
                                                   {"i,j->ij", {{2}, {3}}},
                                                   {"i,i->i", {{3}, {3}}},
                                                   {"i,i->", {{3}, {3}}},
                                                   {"ij->ji", {{2, 3}}},
                                                   {"ij->", {{2, 3}}},
                                                   {"ii->i", {{3, 3}}},
                                                   {"ii", {{3, 3}}},
                                                   {"iji,j->i", {{2, 3, 2}, {3}}},
                                                   {"ij,kl->jl", {{2, 2}, {3, 2}}},
                                                   {"ab,bc,cd->ad", {{2, 3}, {3, 2}, {2, 2}}},
                                                   {"...ij,...jk->...ik", {{2, 2, 3}, {3, 2}}},
                                                   {"...i->i...", {{2, 3, 2}}},
                                                   {"b...,b->...", {{2, 1, 3}, {2}}},
                                                   {",", {{}, {}}},
                                                   {"ij,jk->ik", {{2, 0}, {0, 3}}},
                                                   {"ij,ij->i", {{2, 3}, {1, 3}}},  // axes of size 1 that broadcast
                                                   {"ij,jk->ik", {{2, 1}, {3, 2}}},
                                                   {"ij,ij", {{1, 2}, {2, 1}}}})
    contractions.push_back(of_shapes(equation, shapes, [equation = equation](In in) { return einsum(equation, in); }));
  return {operation("matmul", products), operation("linear", affines), operation("einsum", contractions)};
}

}  // namespace heed
