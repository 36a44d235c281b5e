// The keys that every model has.
#include <array>

#include "io/schema_parts.hpp"

namespace escapement::inline io {

namespace {

using enum ValueType;
using namespace ranges;

constexpr std::array<std::string_view, 2> error_words{"per_step", "per_unit_step"};
constexpr std::array<std::string_view, 2> interpolation_words{"cubic", "linear"};
constexpr std::array<std::string_view, 2> ends_words{"natural", "periodic"};

// clang-format off
constexpr KeyInfo keys[] = {
    {"model", "escapement", number, "The version of the format; the first key of every model.", true, "1"},
    {"model", "name", text, "What the model is called in reports.", false, "the file's name"},
    {"model", "parameters", map, "Numbers with names; each may use the others.", false, "{}"},
    {"model", "tables", map, "Functions given by points, used as name(x).", false, "{}"},
    {"model", "expressions", map, "Quantities with names, usable wherever quantities may vary, also by each other; name' is the rate.", false, "{}"},
    {"model", "states", map, "First-order states: currents, temperatures, integrals.", false, "{}"},
    {"model", "outputs", map, "Extra columns to record and plot.", false, "{}"},
    {"model", "drawing", map, "What the moving picture shows.", false, "{}"},
    {"model", "simulation", map, "How to run the model."},
    {"model", "assemble", any, "true: move the start to the nearest consistent one; {keep: [...]} holds what it names.", false, "false"},

    {"model.parameters", "*", number, "A number, or an expression of other parameters."},
    {"model.expressions", "*", expression, "An expression of t, coordinates, rates and other expressions; of reactions for outputs and the stop condition."},
    {"model.states", "*", map, "A state, usable by its name; NAME' is its rate."},
    {"model.states.*", "start", number, "Its value at the start.", false, "0"},
    {"model.states.*", "unit", text, "The unit that plots show; numbers are not changed.", false, "SI"},
    {"model.states.*", "rate", expression, "Its rate: an expression of t, coordinates, rates and states.", true},
    {"model.outputs", "*", any, "An expression of t, coordinates, rates and reactions (pin.force, pin.fx, pin.torque, floor.force, floor.friction), or {value: ..., unit: N}."},
    {"model.outputs.*", "value", expression, "An expression of t, coordinates, rates and reactions.", true},
    {"model.outputs.*", "unit", text, "The unit that plots and tables show; numbers are not changed."},
    {"model.tables", "*", map, "A table."},
    {"model.tables.*", "file", text, "A CSV file, relative to the model file."},
    {"model.tables.*", "x", any, "The column of arguments, or a list of numbers; strictly increasing.", true},
    {"model.tables.*", "y", any, "The column of values, or a list of numbers.", true},
    {"model.tables.*", "interpolation", word, "How values between the points are made: cubic, a spline, twice differentiable; linear, for forces, rates and outputs alone.", false, "cubic", {}, interpolation_words},
    {"model.tables.*", "ends", word, "natural: continued by its end tangents; periodic: repeated.", false, "natural", {}, ends_words},
    {"model.assemble", "keep", list, "Coordinates (x) and rates (x') that keep their start values."},

    {"model.drawing", "*", map, "One shape: a point, segment, circle or polyline of expressions."},
    {"model.drawing.*", "point", list, "A point [x, y] or [x, y, z]."},
    {"model.drawing.*", "segment", list, "Two points."},
    {"model.drawing.*", "circle", list, "The centre of a circle."},
    {"model.drawing.*", "polyline", list, "Two or more points."},
    {"model.drawing.*", "radius", expression, "The radius of a circle.", false, "", positive},
    {"model.drawing.*", "closed", flag, "true: the polyline's last point is joined to its first.", false, "false"},

    {"model.simulation", "start", number, "The time at which the run starts, in seconds.", false, "0"},
    {"model.simulation", "end", number, "The time at which the run ends, in seconds.", true, "", positive},
    {"model.simulation", "scheme", text, "The time-integration scheme.", false, "auto"},
    {"model.simulation", "tolerance", number, "Bound of the local error; steps are chosen to keep it.", false, "1e-6", positive},
    {"model.simulation", "step", number, "A fixed step size, in place of a tolerance.", false, "", positive},
    {"model.simulation", "until", number, "The time up to which 'step' or 'tolerance' holds; 'then' says what follows."},
    {"model.simulation", "then", map, "The steps from 'until' on."},
    {"model.simulation.then", "tolerance", number, "Bound of the local error from then on.", false, "1e-6", positive},
    {"model.simulation.then", "step", number, "A fixed step size from then on.", false, "", positive},
    {"model.simulation", "save_every", number, "Time between saved samples; 0 saves every step.", false, "(end - start)/1000", not_negative},
    {"model.simulation", "stop", condition, "The run ends when this becomes true; it may use reactions."},
    {"model.simulation", "error", word, "What the tolerance bounds: the error of a step, or that divided by the step size.", false, "per_step", {}, error_words},
    {"model.simulation", "options", map, "The scheme's own numbers and words.", false, "{}"},
    {"model.simulation.options", "*", any, "An option of the scheme."},
};
// clang-format on

}  // namespace

std::span<const KeyInfo> common_schema() { return keys; }

}  // namespace escapement
