// Cases of autograd/ops_matmul.h and ops_einsum.h: vectors, matrices, batches that broadcast, and every axis at size 0.
#include "autograd/cases/layouts.h"
#include "autograd/ops.h"

namespace heed {
namespace {

using In = const std::vector<Variable>&;

BaseCase product(const Shape& a, const Shape& b) {
  return {
      .label = to_string(a) + " " + to_string(b), .shapes = {a, b}, .f = [](In in) { return matmul(in[0], in[1]); }};
}

BaseCase affine(const Shape& x, const Shape& w, bool with_bias) {
  BaseCase base{
      .label = to_string(x) + " " + to_string(w) + (with_bias ? " with bias" : ""), .shapes = {x, w}, .f = {}};
  if (with_bias) base.shapes.push_back({w[0]});
  base.f = [with_bias](In in) { return linear(in[0], in[1], with_bias ? in[2] : Variable()); };
  return base;
}

BaseCase contraction(const std::string& equation, const std::vector<Shape>& shapes) {
  std::string label = equation;
  for (const Shape& shape : shapes) label += " " + to_string(shape);
  return {.label = label, .shapes = shapes, .f = [equation](In in) { return einsum(equation, in); }};
}

CaseRow contractions() {
  return operation(
      "einsum",
      {contraction("ik,kj->ij", {{3, 3}, {3, 3}}), contraction("ik,kj", {{2, 3}, {3, 2}}),
       contraction("bij,bjk->bik", {{2, 2, 3}, {2, 3, 2}}),
       contraction("bqhd,bkhd->bhqk", {{2, 2, 2, 3}, {2, 3, 2, 3}}), contraction("i,j->ij", {{2}, {3}}),
       contraction("i,i->i", {{3}, {3}}), contraction("i,i->", {{3}, {3}}), contraction("ij->ji", {{2, 3}}),
       contraction("ij->", {{2, 3}}), contraction("ii->i", {{3, 3}}), contraction("ii", {{3, 3}}),
       contraction("iji,j->i", {{2, 3, 2}, {3}}), contraction("ij,kl->jl", {{2, 2}, {3, 2}}),
       contraction("ab,bc,cd->ad", {{2, 3}, {3, 2}, {2, 2}}), contraction("...ij,...jk->...ik", {{2, 2, 3}, {3, 2}}),
       contraction("...i->i...", {{2, 3, 2}}), contraction("b...,b->...", {{2, 1, 3}, {2}}), contraction(",", {{}, {}}),
       contraction("ij,jk->ik", {{2, 0}, {0, 3}})});
}

}  // namespace

std::vector<CaseRow> matmul_cases() {
  std::vector<BaseCase> products = {
      product({2, 2}, {2, 2}),
      product({3, 3}, {3, 3}),
      product({2, 3}, {3, 4}),
      product({3}, {3}),
      product({3}, {3, 2}),
      product({2, 3}, {3}),
      product({2, 2, 3}, {3}),
      product({3}, {2, 3, 2}),
      product({2, 2, 3}, {2, 3, 2}),
      product({2, 2, 3}, {3, 2}),
      product({2, 3}, {2, 3, 2}),
      product({1, 2, 3}, {3, 2}),
      product({2, 1, 2, 3}, {3, 3, 2}),
      product({1, 1}, {1, 1}),
      product({2, 0}, {0, 3}),
      product({0, 3}, {3, 2}),
      product({2, 2, 0}, {0, 3}),
      product({0, 2, 3}, {3, 2}),
      product({2, 2, 3}, {3, 0}),
      product({2, 0, 3}, {2, 3, 2}),
      product({0, 2, 3}, {1, 3, 2}),
  };
  products.push_back(
      {.label = "a a through one handle", .shapes = {{3, 3}}, .f = [](In in) { return matmul(in[0], in[0]); }});
  products.push_back({.label = "a a^T through one handle", .shapes = {{2, 3}}, .f = [](In in) {
                        return matmul(in[0], transpose(in[0], 0, 1));
                      }});
  std::vector<BaseCase> affines;
  for (bool with_bias : {false, true})
    for (const Shape& x : {Shape{3}, Shape{2, 3}, Shape{2, 2, 3}, Shape{0, 3}, Shape{2, 0, 3}})
      affines.push_back(affine(x, {2, 3}, with_bias));
  affines.push_back(affine({2, 2}, {2, 2}, /*with_bias=*/true));
  return {operation("matmul", products), operation("linear", affines), contractions()};
}

}  // namespace heed
