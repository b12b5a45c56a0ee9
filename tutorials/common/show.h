// How lessons print: headings, indented drawings, and items whose long sentences are wrapped under themselves.
#pragma once

#include <string>
#include <vector>

#include "nn/io/console.h"
#include "tensor/tensor.h"
#include "tutorials/common/lesson.h"
#include "tutorials/report/matrix.h"
#include "tutorials/report/terminal.h"

namespace heed::app {

void heading(const std::string& text);  // an empty line before and after it

io::Console console();                                       // standard output, without the margin of three columns
void show(const report::Lines& lines);                       // behind that margin
void show(Lesson& lesson, const report::TablePanel& panel);  // printed, and put into the report

// The label, then the sentence, wrapped at `width` columns under its own beginning; where that leaves the sentence
// fewer than 30 columns, under the label.
std::string item_text(const std::string& label, const std::string& sentence, int width);
void item(const std::string& label, const std::string& sentence);

report::Matrix matrix_of(const Tensor& t);  // [R, C]

}  // namespace heed::app
