// Reads the text form of the README: what print_text printed gives the same module. Nodes are taken as they
// stand (no casts are inserted); their types may be left out in texts written by hand.
#pragma once

#include <string>
#include <string_view>

#include "ir/custom_function.h"
#include "ir/text_cursor.h"

namespace cohort {

// `file` is the text's name in messages. Syntax errors end the reading; all other errors are reported
// together.
// `custom` reads the functions of `custom` nodes; without it they are refused.
Module parse_text(std::string_view text, const std::string& file, const CustomReader& custom = nullptr);
// The same from a cursor, up to the end of the last function: what follows is the caller's.
Module parse_text(TextCursor& cursor, const std::string& file, const CustomReader& custom = nullptr);

// Nested lists of numbers, or one number that fills the shape.
Tensor parse_data(TextCursor& cursor, const Type& type, const Dims& dims);

}  // namespace cohort
