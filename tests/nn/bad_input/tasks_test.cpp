// Rows for the tasks made in code.
#include "nn/data/tasks/abilities.h"
#include "nn/data/tasks/dates.h"
#include "nn/data/tasks/documents.h"
#include "nn/data/tasks/numbers.h"
#include "nn/data/tasks/pictures.h"
#include "nn/data/tasks/recall.h"
#include "nn/data/tasks/sequences.h"
#include "tests/nn/bad_input/refuses.h"

using namespace heed;
using namespace heed::bad_input;

TEST_CASE("tasks: what they share") {
  refuses("symbols: got a", [] { data::Symbols({"a", "b", "a"}); });
  refuses("symbols: got c", [] { data::Symbols({"a", "b"}).id("c"); });
  refuses<IndexError>("symbols: [0, 6) got 6", [] { data::Symbols({"a", "b"}).name(6); });
  refuses<IndexError>("symbols: [0, 6) got -1", [] { data::Symbols({"a", "b"}).name(-1); });
  refuses("label_batch: got 2 1", [] { data::label_batch({{{4}, {5}}, {{4}, {5, 6}}}, {0, 1}); });
  refuses("copy: negative got -1 500 500", [] { data::copy_task({.parts = {.train = -1}}); });
  refuses("copy: different got 1 1 1 1", [] { data::copy_task({.symbols = 2, .lengths = {1, 1}}); });
}

TEST_CASE("tasks: sequences") {
  refuses("copy: symbols 2 got 1", [] { data::copy_task({.symbols = 1}); });
  refuses("reverse: lengths 1 got 0 4", [] { data::reverse_task({.lengths = {0, 4}}); });
  refuses("sort: held-out lengths 1 got 5 3", [] { data::sort_task({.held_out_lengths = {5, 3}}); });
  refuses("selective copy: (0, 1] got 0", [] { data::selective_copy_task({.share = 0}); });
  refuses("sort: distinct got 16 24", [] { data::sort_task({.distinct = true}); });
}

TEST_CASE("tasks: abilities") {
  refuses("ability: task one of recall got swim", [] { data::ability("swim"); });
  refuses("ability: longest 4 haystack 16 got 3 16 3 256", [] { data::ability("copy", {.longest = 3}); });
  refuses("ability: permutations 2 to 5 got 16 16 6 256", [] { data::ability("permutations", {.group = 6}); });
}

TEST_CASE("tasks: recall") {
  refuses("associative recall: values 2 got 1", [] { data::associative_recall_task({.values = 1}); });
  refuses("associative recall: pairs 1 got 0 3", [] { data::associative_recall_task({.pairs = {0, 3}}); });
  refuses("key-value query: held-out pairs 1 got 4 3", [] { data::key_value_query_task({.held_out_pairs = {4, 3}}); });
  refuses("key-value query: many got 9 10", [] { data::key_value_query_task({.keys = 9}); });
  data::QueryTask task = data::key_value_query_task({.parts = {.train = 2, .validation = 0, .test = 0}});
  refuses("query_batch: example got", [&] { data::query_batch(task, task.train, {}); });
  refuses<IndexError>("query_batch: [0, 2) got 2", [&] { data::query_batch(task, task.train, {0, 2}); });
  refuses("delayed recall: symbols 2 got 0", [] { data::delayed_recall_task({.symbols = 0}); });
  refuses("delayed recall: distractors 1 got 0", [] { data::delayed_recall_task({.distractors = 0}); });
  refuses("delayed recall: lags 0 got -1 4", [] { data::delayed_recall_task({.lags = {-1, 4}}); });
  refuses("delayed recall: held-out lags 0 got 9 8", [] { data::delayed_recall_task({.held_out_lags = {9, 8}}); });
}

TEST_CASE("tasks: dates and numbers") {
  refuses("written_date: got d}/{m", [] { data::written_date({2001, 4, 3}, "{d}/{m}"); });
  refuses("written_date: calendar 1000 9999 got 1900-2-29", [] { data::written_date({1900, 2, 29}, "{d} {M} {y}"); });
  refuses("written_date: calendar 1000 9999 got 1900-13-1", [] { data::date_pair({1900, 13, 1}, "{d} {M} {y}"); });
  refuses("days_in_month: [1, 12] got 0", [] { data::days_in_month(2001, 0); });
  refuses("date: years 1000 got 2001 2000", [] { data::date_task({.years = {2001, 2000}}); });
  refuses("date: digits got 10000", [] { data::date_task({.years = {2000, 10000}}); });
  refuses("number_words: [0, 999999] got 1000000", [] { data::number_words(1000000); });
  refuses("number: digits upwards 1 got 0 2", [] { data::number_task({.digits = {0, 2}}); });
  refuses("number: held-out digits 1 got 3 2", [] { data::number_task({.held_out_digits = {3, 2}}); });
  refuses("number: there 6 got 7", [] { data::number_task({.digits = {1, 7}}); });
  refuses("number: there 6 got 7", [] { data::number_task({.digits = {1, 5}, .held_out_digits = {7, 7}}); });
}

TEST_CASE("tasks: pictures") {
  refuses("make_picture: 4 colours 5 got 4 0", [] { data::make_picture({{.colour = 4}}); });
  refuses("make_picture: 4 colours 5 got 0 -1", [] { data::make_picture({{.form = -1}}); });
  refuses("make_picture: 8 8 got bar 0 6", [] { data::make_picture({{.form = 2, .row = 0, .column = 6}}); });
  refuses("make_picture: got square 0 0 square 1 2", [] { data::make_picture({{}, {.row = 1, .column = 2}}); });
  refuses("picture: shapes upwards 1 got 0 2", [] { data::picture_task({.shapes = {0, 2}}); });
  refuses("picture: held-out shapes 1 got 2 1", [] { data::picture_task({.held_out_shapes = {2, 1}}); });
  refuses("picture: there 3 got 4", [] { data::picture_task({.shapes = {1, 4}}); });
  data::PictureTask task = data::picture_task({.parts = {.train = 2, .validation = 0, .test = 0}});
  refuses("picture_batch: picture got", [&] { data::picture_batch(task, task.train, {}); });
  refuses<IndexError>("picture_batch: [0, 2) got -1", [&] { data::picture_batch(task, task.train, {-1}); });
  Generator rng(1);
  refuses("find_batch: 9 rows 14 columns 4 shapes", [&] { data::find_batch({.shapes = 4}, 1, rng); });
}

TEST_CASE("tasks: documents") {
  refuses("document: classes 2 got 1", [] { data::document_task({.classes = 1}); });
  refuses("document: fillers 1 got 0", [] { data::document_task({.fillers = 0}); });
  refuses("document: words 2 got 1 8", [] { data::document_task({.words = {1, 8}}); });
  refuses("document: sentences 1 got 0 10", [] { data::document_task({.sentences = {0, 10}}); });
  refuses("document: held-out sentences 1 got 9 8", [] { data::document_task({.held_out_sentences = {9, 8}}); });
  data::DocumentTask task = data::document_task({.parts = {.train = 2, .validation = 0, .test = 0}});
  refuses("document_batch: document got", [&] { data::document_batch(task, task.train, {}); });
  refuses<IndexError>("document_batch: [0, 2) got 2", [&] { data::document_batch(task, task.train, {2}); });
}
