// The keys of studies.
#include "io/schema_parts.hpp"

namespace escapement::inline io {

namespace {

using enum ValueType;

// clang-format off
constexpr KeyInfo keys[] = {
    {"study", "escapement", number, "The version of the format.", true, "1"},
    {"study", "model", text, "The model file, relative to the study.", true},
    {"study", "vary", map, "Parameters and their values: every combination is run.", false, "{}"},
    {"study", "sample", map, "Random draws of parameters."},
    {"study", "measure", map, "Numbers to take from each run, by name.", true},
    {"study.vary", "*", any, "A list of values, linspace(first, last, count) or logspace(first, last, count)."},
    {"study.sample", "count", number, "How many draws.", true, "", {.min = 1}},
    {"study.sample", "seed", number, "Where the random numbers begin; the same seed gives the same draws.", false, "1", {.min = 0}},
    {"study.sample", "of", map, "Parameters and their distributions.", true},
    {"study.sample.of", "*", text, "\"normal(mean, deviation)\" or \"uniform(low, high)\"."},
    {"study.measure", "*", expression, "impacts, steps, work, ..., or max, min, mean, final, initial of a recorded column, first and count of a condition, and expressions of these."},
};
// clang-format on

}  // namespace

std::span<const KeyInfo> study_schema() { return keys; }

}  // namespace escapement
