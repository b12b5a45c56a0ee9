// How lessons print: headings, indented drawings, and items (a label and a sentence, wrapped to the terminal).
#pragma once

#include <string>
#include <vector>

#include "nn/io/console.h"
#include "tensor/tensor.h"
#include "tutorials/common/lesson.h"
#include "tutorials/common/output.h"
#include "tutorials/report/matrix.h"
#include "tutorials/report/terminal.h"

namespace heed::app {

void heading(const std::string& text);  // an empty line before and after it

io::Console console();                  // standard output, without the margin of three columns
void show(const report::Lines& lines);  // indented by that margin
// The title, then the text as on the page, then the table. Without them, nobody knows that 2.4 means 2.4 million
// multiply-adds.
report::Lines lines_of(const report::TablePanel& panel, const io::Console& console);
void show(const report::TablePanel& panel);                  // printed only
void show(Lesson& lesson, const report::TablePanel& panel);  // printed, and put into the report

// The label, then the sentence, wrapped at `width` columns. Further lines begin below the start of the sentence or, if
// that leaves fewer than 30 columns, below the label.
std::string item_text(const std::string& label, const std::string& sentence, int width);
void item(const std::string& label, const std::string& sentence);

report::Matrix matrix_of(const Tensor& t);  // [R, C]

}  // namespace heed::app
