// Where examples and data of the tests are: the root of the checkout the tests were built from.
#pragma once

#include <string>

namespace escapement::testing {

std::string source_folder();

}  // namespace escapement::testing
