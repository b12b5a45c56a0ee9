// Rows for the tasks made in code.
#include "nn/data/tasks/dates.h"
#include "nn/data/tasks/documents.h"
#include "nn/data/tasks/numbers.h"
#include "nn/data/tasks/pictures.h"
#include "nn/data/tasks/recall.h"
#include "nn/data/tasks/sequences.h"
#include "tests/nn/bad_input/refuses.h"

using namespace heed;
using namespace heed::bad_input;

TEST_SUITE("unit") {
  TEST_CASE("tasks: what they share") {
    refuses<ValueError>("symbols: each must be given once; got \"a\" twice", [] { data::Symbols({"a", "b", "a"}); });
    refuses<ValueError>("symbols: must be one of the task's; got \"c\"", [] { data::Symbols({"a", "b"}).id("c"); });
    refuses<IndexError>("symbols: an id must lie in [0, 6); got 6", [] { data::Symbols({"a", "b"}).name(6); });
    refuses<IndexError>("symbols: an id must lie in [0, 6); got -1", [] { data::Symbols({"a", "b"}).name(-1); });
    refuses<ValueError>("label_batch: an answer must be one symbol; got 2 in pair 1", [] {
      data::label_batch({{{4}, {5}}, {{4}, {5, 6}}}, {0, 1});
    });
    refuses<ValueError>("copy: the parts must not be negative; got train -1, validation 500, test 500",
                        [] { data::copy_task({.parts = {.train = -1}}); });
    refuses<ValueError>(
        "copy: there must be enough different examples to keep three parts apart; got sizes 1 to 1 in training and 1 "
        "to "
        "1 held out; allow larger ones, or leave a part empty",
        [] {
          data::copy_task({.symbols = 2, .lengths = {1, 1}});
        });
  }

  TEST_CASE("tasks: sequences") {
    refuses<ValueError>("copy: symbols must be at least 2; got 1", [] { data::copy_task({.symbols = 1}); });
    refuses<ValueError>("reverse: lengths must run upwards from at least 1; got 0 to 4", [] {
      data::reverse_task({.lengths = {0, 4}});
    });
    refuses<ValueError>("sort: held-out lengths must run upwards from at least 1; got 5 to 3", [] {
      data::sort_task({.held_out_lengths = {5, 3}});
    });
    refuses<ValueError>("selective copy: the share of symbols must be in (0, 1]; got 0",
                        [] { data::selective_copy_task({.share = 0}); });
    refuses<ValueError>("sort: distinct symbols need a set at least as large as the longest sequence; got 16 for 24",
                        [] { data::sort_task({.distinct = true}); });
  }

  TEST_CASE("tasks: recall") {
    refuses<ValueError>("associative recall: values must be at least 2; got 1",
                        [] { data::associative_recall_task({.values = 1}); });
    refuses<ValueError>("associative recall: pairs must run upwards from at least 1; got 0 to 3", [] {
      data::associative_recall_task({.pairs = {0, 3}});
    });
    refuses<ValueError>("key-value query: held-out pairs must run upwards from at least 1; got 4 to 3", [] {
      data::key_value_query_task({.held_out_pairs = {4, 3}});
    });
    refuses<ValueError>("key-value query: there must be as many keys as pairs; got 9 for 10",
                        [] { data::key_value_query_task({.keys = 9}); });
    data::QueryTask task = data::key_value_query_task({.parts = {.train = 2, .validation = 0, .test = 0}});
    refuses<ValueError>("query_batch: needs at least one example; got none",
                        [&] { data::query_batch(task, task.train, {}); });
    refuses<IndexError>("query_batch: a member must lie in [0, 2); got 2", [&] {
      data::query_batch(task, task.train, {0, 2});
    });
    refuses<ValueError>("delayed recall: symbols must be at least 2; got 0",
                        [] { data::delayed_recall_task({.symbols = 0}); });
    refuses<ValueError>("delayed recall: distractors must be at least 1; got 0",
                        [] { data::delayed_recall_task({.distractors = 0}); });
    refuses<ValueError>("delayed recall: lags must run upwards from at least 0; got -1 to 4", [] {
      data::delayed_recall_task({.lags = {-1, 4}});
    });
    refuses<ValueError>("delayed recall: held-out lags must run upwards from at least 0; got 9 to 8", [] {
      data::delayed_recall_task({.held_out_lags = {9, 8}});
    });
  }

  TEST_CASE("tasks: dates and numbers") {
    refuses<ValueError>("written_date: the format must be one of date_formats(); got \"{d}/{m}\"", [] {
      data::written_date({2001, 4, 3}, "{d}/{m}");
    });
    refuses<ValueError>("written_date: the calendar must have the day, in the years 1000 to 9999; got 1900-2-29", [] {
      data::written_date({1900, 2, 29}, "{d} {M} {y}");
    });
    refuses<ValueError>("written_date: the calendar must have the day, in the years 1000 to 9999; got 1900-13-1", [] {
      data::date_pair({1900, 13, 1}, "{d} {M} {y}");
    });
    refuses<ValueError>("days_in_month: a month must lie in [1, 12]; got 0", [] { data::days_in_month(2001, 0); });
    refuses<ValueError>("date: years must run upwards from at least 1000; got 2001 to 2000", [] {
      data::date_task({.years = {2001, 2000}});
    });
    refuses<ValueError>("date: a year must have four digits; got 10000", [] {
      data::date_task({.years = {2000, 10000}});
    });
    refuses<ValueError>("number_words: the number must lie in [0, 999999]; got 1000000",
                        [] { data::number_words(1000000); });
    refuses<ValueError>("number: digits must run upwards from at least 1; got 0 to 2", [] {
      data::number_task({.digits = {0, 2}});
    });
    refuses<ValueError>("number: held-out digits must run upwards from at least 1; got 3 to 2", [] {
      data::number_task({.held_out_digits = {3, 2}});
    });
    refuses<ValueError>("number: there must be at most 6 digits; got 7", [] { data::number_task({.digits = {1, 7}}); });
    refuses<ValueError>("number: there must be at most 6 digits; got 7", [] {
      data::number_task({.digits = {1, 5}, .held_out_digits = {7, 7}});
    });
  }

  TEST_CASE("tasks: pictures") {
    refuses<ValueError>("make_picture: a shape must have one of 4 colours and 5 forms; got 4 and 0",
                        [] { data::make_picture({{.colour = 4}}); });
    refuses<ValueError>("make_picture: a shape must have one of 4 colours and 5 forms; got 0 and -1",
                        [] { data::make_picture({{.form = -1}}); });
    refuses<ValueError>("make_picture: a shape must lie inside the 8 x 8 grid; got a bar at row 0, column 6",
                        [] { data::make_picture({{.form = 2, .row = 0, .column = 6}}); });
    refuses<ValueError>(
        "make_picture: shapes must leave a free patch between their boxes; got a square at 0, 0 and a square at 1, 2",
        [] {
          data::make_picture({{}, {.row = 1, .column = 2}});
        });
    refuses<ValueError>("picture: shapes must run upwards from at least 1; got 0 to 2", [] {
      data::picture_task({.shapes = {0, 2}});
    });
    refuses<ValueError>("picture: held-out shapes must run upwards from at least 1; got 2 to 1", [] {
      data::picture_task({.held_out_shapes = {2, 1}});
    });
    refuses<ValueError>("picture: there must be at most 3 shapes; got 4", [] {
      data::picture_task({.shapes = {1, 4}});
    });
    data::PictureTask task = data::picture_task({.parts = {.train = 2, .validation = 0, .test = 0}});
    refuses<ValueError>("picture_batch: needs at least one picture; got none",
                        [&] { data::picture_batch(task, task.train, {}); });
    refuses<IndexError>("picture_batch: a member must lie in [0, 2); got -1",
                        [&] { data::picture_batch(task, task.train, {-1}); });
  }

  TEST_CASE("tasks: documents") {
    refuses<ValueError>("document: classes must be at least 2; got 1", [] { data::document_task({.classes = 1}); });
    refuses<ValueError>("document: fillers must be at least 1; got 0", [] { data::document_task({.fillers = 0}); });
    refuses<ValueError>("document: words must run upwards from at least 2; got 1 to 8", [] {
      data::document_task({.words = {1, 8}});
    });
    refuses<ValueError>("document: sentences must run upwards from at least 1; got 0 to 10", [] {
      data::document_task({.sentences = {0, 10}});
    });
    refuses<ValueError>("document: held-out sentences must run upwards from at least 1; got 9 to 8", [] {
      data::document_task({.held_out_sentences = {9, 8}});
    });
    data::DocumentTask task = data::document_task({.parts = {.train = 2, .validation = 0, .test = 0}});
    refuses<ValueError>("document_batch: needs at least one document; got none",
                        [&] { data::document_batch(task, task.train, {}); });
    refuses<IndexError>("document_batch: a member must lie in [0, 2); got 2",
                        [&] { data::document_batch(task, task.train, {2}); });
  }
}
