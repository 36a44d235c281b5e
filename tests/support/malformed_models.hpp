// Models with one mistake each: where the message must point and what it must say.
#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace escapement::testing {

struct Malformed {
  std::string name;
  std::string text;
  std::string place;  // LINE:COLUMN
  std::vector<std::string> phrases;
};
inline void PrintTo(const Malformed& bad, std::ostream* out) { *out << bad.name; }

// a correct model, line by line; a case replaces one of its lines, or adds some
inline const std::vector<std::string>& good_lines() {
  static const std::vector<std::string> lines{
      "escapement: 1",                                                     // 1
      "parameters: {m: 1, l: 1, g: 9.81}",                                 // 2
      "coordinates:",                                                      // 3
      "  x: {start: l, rate: 0}",                                          // 4
      "  y: {start: 0, rate: 0}",                                          // 5
      "kinetic_energy: m/2*(x'^2 + y'^2)",                                 // 6
      "potential_energy: m*g*y",                                           // 7
      "forces: {x: -0.1*x'}",                                              // 8
      "constraints: {rod: (x^2 + y^2 - l^2)/2}",                           // 9
      "contacts:",                                                         // 10
      "  floor: {gap: y + 2, restitution: 0.5, friction: 0.3, slip: x'}",  // 11
      "outputs: {speed: sqrt(x'^2 + y'^2)}",                               // 12
      "drawing: {rod: {segment: [[0, 0], [x, y]]}}",                       // 13
      "simulation: {end: 10, scheme: hem5, tolerance: 1e-6}",              // 14
  };
  return lines;
}

inline std::string good_model() {
  std::string text;
  for (const std::string& line : good_lines()) text += line + "\n";
  return text;
}

// the good model with line n (from 1) replaced; an empty text removes it
inline std::string with_line(std::size_t n, const std::string& replacement) {
  std::string text;
  for (std::size_t i = 0; i < good_lines().size(); ++i) {
    if (i + 1 != n)
      text += good_lines()[i] + "\n";
    else if (!replacement.empty())
      text += replacement + "\n";
  }
  return text;
}

inline std::string with_more(const std::string& lines) { return good_model() + lines + "\n"; }  // from line 15

inline std::string repeated(const std::string& piece, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += piece;
  return text;
}

// clang-format off
inline std::vector<Malformed> broken_yaml() {
  return {
      {"empty file", "", "1:1", {"empty", "escapement: 1"}},
      {"only a comment", "# nothing here\n", "1:1", {"empty"}},
      {"only blanks", "   \n\n  \n", "1:1", {"empty"}},
      {"a list", "- 1\n- 2\n", "1:1", {"a model is a map", "a list"}},
      {"a word", "hello\n", "1:1", {"a model is a map", "a single value"}},
      {"open brace", with_line(2, "parameters: {m: 1, l: 1, g: 9.81"), "3:12", {"{ is not closed"}},
      {"open bracket at the end", with_line(13, "drawing: {rod: {segment: [[0, 0], [x, y]}}"), "13:41", {"does not close what is open"}},
      {"stray bracket", with_line(7, "potential_energy: ]"), "7:19", {"does not close what is open"}},
      {"open quote", with_line(7, "potential_energy: \"m*g*y"), "7:19", {"quote is not closed"}},
      {"tab", with_line(4, "\tx: {start: l, rate: 0}"), "4:1", {"a tab may not indent"}},
      {"tab after spaces", with_line(4, "  \tx: {start: l, rate: 0}"), "4:3", {"a tab may not indent"}},
      {"wrong indentation", with_line(5, " y: {start: 0, rate: 0}"), "5:2", {"indentation"}},
      {"two colons", with_line(7, "potential_energy: m: 3"), "7:20", {"second ': '"}},
      {"unknown alias", with_line(7, "potential_energy: *pot"), "7:19", {"names no anchor"}},
      {"second document", good_model() + "---\nescapement: 1\n", "15:1", {"second document"}},
      {"binary noise", std::string("\x7f" "ELF\x02\x01\x01\0\0\0\xff\xfe", 12), "1:1", {"control character"}},
      {"null bytes", std::string("escapement: 1\0\0", 15), "1:14", {"control character (0x00)"}},
      {"not UTF-8", "escapement: 1\nname: caf\xe9\n", "2:10", {"not UTF-8", "0xE9"}},
      {"overlong UTF-8", "name: \xc0\xaf\n", "1:7", {"not UTF-8"}},
      {"broken escape", with_line(7, "potential_energy: \"\\q\""), "7:22", {"not valid YAML"}},
      {"custom tag", with_line(7, "potential_energy: !python/object m*g*y"), "7:19", {"the tag '!python/object' means nothing"}},
      {"reserved character", with_line(7, "potential_energy: @y"), "7:19", {"put it into quotes"}},
      {"map as a key", with_more("{a: 1}: 2"), "15:1", {"a key must be a word"}},
      {"deep nesting", "escapement: 1\ncoordinates: " + repeated("[", 5000) + repeated("]", 5000) + "\n", "2:77", {"nested more than 64 levels"}},
      {"self alias", with_more("name: &a [*a]"), "15:11", {"cannot contain itself"}},
      {"billion laughs", "a: &a [1,1,1,1,1,1,1,1,1,1]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\n"
                         "d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e,*e]\n"
                         "g: &g [*f,*f,*f,*f,*f,*f,*f,*f,*f,*f]\n", "7:17", {"aliases here give more than"}},
      {"merge of a number", with_line(4, "  x: {<<: 3, start: l}"), "4:7", {"a merge key"}},
      {"merge of many maps", "x: &x {a: 1}\ny: {<<: [*x, 3]}\n", "2:14", {"a merge key"}},
  };
}

inline std::vector<Malformed> wrong_keys() {
  return {
      {"no version", with_line(1, ""), "1:1", {"'escapement: 1'", "add it"}},
      {"version not first", "name: x\n" + good_model(), "2:1", {"must be the first key"}},
      {"version 2", with_line(1, "escapement: 2"), "1:13", {"version 1"}},
      {"version empty", with_line(1, "escapement:"), "1:1", {"version 1"}},
      {"unknown key", with_line(7, "potental_energy: m*g*y"), "7:1", {"no key 'potental_energy'", "did you mean 'potential_energy'?"}},
      {"unknown key without a neighbour", with_more("colour: red"), "15:1", {"no key 'colour'", "the keys there are", "kinetic_energy"}},
      {"key in the wrong block", with_more("tolerance: 1e-3"), "15:1", {"no key 'tolerance'", "the simulation block"}},
      {"duplicate key", with_more("potential_energy: 0"), "15:1", {"'potential_energy' stands here twice", "line 7"}},
      {"duplicate key in braces", with_line(2, "parameters: {m: 1, l: 1, m: 2, g: 9.81}"), "2:26", {"'m' stands here twice", "line 2"}},
      {"duplicate simulation key", with_line(14, "simulation: {end: 1, end: 2}"), "14:22", {"'end' stands here twice"}},
      {"unknown coordinate key", with_line(4, "  x: {strat: l, rate: 0}"), "4:7", {"no key 'strat'", "did you mean 'start'?"}},
      {"unknown contact key", with_line(11, "  floor: {gap: y + 2, restituton: 0.5}"), "11:23", {"did you mean 'restitution'?"}},
      {"unknown simulation key", with_line(14, "simulation: {end: 10, tolerence: 1e-6}"), "14:23", {"did you mean 'tolerance'?"}},
      {"unknown drawing key", with_line(13, "drawing: {rod: {segmnt: [[0, 0], [x, y]]}}"), "13:17", {"did you mean 'segment'?"}},
      {"unknown table key", with_more("tables: {f: {x: [0, 1], y: [0, 1], intrepolation: cubic}}"), "15:36", {"did you mean 'interpolation'?"}},
      {"no coordinates", "escapement: 1\nkinetic_energy: 1\nsimulation: {end: 1}\n", "1:1", {"'coordinates' is missing"}},
      {"empty coordinates", "escapement: 1\ncoordinates: {}\nkinetic_energy: 1\nsimulation: {end: 1}\n", "2:1", {"at least one coordinate"}},
      {"nothing but the version", "escapement: 1\n", "1:1", {"'coordinates' is missing"}},
      {"no kinetic energy", with_line(6, ""), "1:1", {"'kinetic_energy' is missing"}},
      {"no gap", with_line(11, "  floor: {restitution: 0.5}"), "11:3", {"'gap' is missing"}},
      {"no end", with_line(14, "simulation: {scheme: hem5}"), "14:1", {"'end' is missing"}},
      {"until without then", with_line(14, "simulation: {end: 10, step: 0.1, until: 2}"), "14:34", {"nothing says what follows", "then: {tolerance"}},
      {"then without until", with_line(14, "simulation: {end: 10, step: 0.1, then: {step: 1}}"), "14:34", {"add 'until: 0.4'"}},
      {"until behind the end", with_line(14, "simulation: {end: 10, step: 0.1, until: 12, then: {step: 1}}"), "14:41", {"between 0 and 10"}},
      {"then by step and tolerance", with_line(14, "simulation: {end: 10, step: 0.1, until: 2, then: {step: 1, tolerance: 1}}"), "14:51", {"exclude each other"}},
      {"no simulation", with_line(14, ""), "1:1", {"simulation: {end: 10}", "--end"}},
      {"both kinds", with_more("bodies: {}"), "15:1", {"not both"}},
  };
}

inline std::vector<Malformed> wrong_names() {
  return {
      {"unknown name", with_line(7, "potential_energy: m*gg*y"), "7:21", {"the name 'gg' is not known", "did you mean 'g'?"}},
      {"unknown name in quotes", with_line(7, "potential_energy: \"m*gg*y\""), "7:22", {"'gg'"}},
      {"unknown name in a folded text", with_line(7, "potential_energy: >\n  m*g*y\n  + m*massse*y"), "9:7", {"'massse'"}},
      {"unknown name in a plain text over lines", with_line(7, "potential_energy: m*g*y\n   + m*massse*y"), "8:8", {"'massse'"}},
      {"unknown name in single quotes", with_line(6, "kinetic_energy: 'm/2*(x''^2 + y''^2)*k'"), "6:38", {"'k'"}},
      {"unknown function", with_line(7, "potential_energy: m*g*y + sine(x)"), "7:27", {"the function 'sine' is not known"}},
      {"unknown rate", with_line(6, "kinetic_energy: m/2*(x'^2 + z'^2)"), "6:29", {"z'"}},
      {"rate of a parameter", with_line(6, "kinetic_energy: m/2*(x'^2 + y'^2) + m'"), "6:37", {"m'"}},
      {"rate in the potential", with_line(7, "potential_energy: m*g*y'"), "7:23", {"no rates"}},
      {"rate in a constraint", with_line(9, "constraints: {rod: x*x' + y*y'}"), "9:22", {"no rates"}},
      {"rate in a gap", with_line(11, "  floor: {gap: y' + 2}"), "11:16", {"no rates"}},
      {"time in a parameter", with_line(2, "parameters: {m: 1, l: 1, g: 9.81 + t}"), "2:36", {"'t' cannot stand here"}},
      {"coordinate in a parameter", with_line(2, "parameters: {m: 1, l: x, g: 9.81}"), "2:23", {"'x' cannot stand here", "a coordinate"}},
      {"coordinate in a start", with_line(5, "  y: {start: x, rate: 0}"), "5:14", {"'x' cannot stand here"}},
      {"coordinate in a step", with_line(14, "simulation: {end: 10, step: x}"), "14:29", {"'x' cannot stand here"}},
      {"cycle", with_line(2, "parameters: {m: 1, l: g/9.81, g: 9.81*l}"), "2:20", {"defined by itself", "l -> g -> l"}},
      {"cycle of one", with_line(2, "parameters: {m: m + 1, l: 1, g: 9.81}"), "2:14", {"defined by itself", "m -> m"}},
      {"parameter and coordinate", with_line(2, "parameters: {m: 1, l: 1, g: 9.81, x: 3}"), "2:35", {"parameter 'x' has the name of a coordinate", "line 4"}},
      {"table and parameter", with_more("tables: {g: {x: [0, 1], y: [0, 1]}}"), "15:10", {"table 'g' has the name of a parameter"}},
      {"parameter called sin", with_line(2, "parameters: {m: 1, l: 1, g: 9.81, sin: 3}"), "2:35", {"'sin' already has a meaning"}},
      {"parameter called pi", with_line(2, "parameters: {m: 1, l: 1, g: 9.81, pi: 3}"), "2:35", {"'pi' already has a meaning"}},
      {"coordinate called t", with_line(5, "  t: {start: 0}"), "5:3", {"'t' already has a meaning"}},
      {"odd name", with_line(2, "parameters: {m: 1, l: 1, g: 9.81, 2a: 3}"), "2:35", {"'2a' cannot name a parameter"}},
      {"name with a quote", with_line(5, "  y': {start: 0}"), "5:3", {"'y'' cannot name", "letters"}},
      {"constraint and contact", with_line(11, "  rod: {gap: y + 2}"), "11:3", {"contact 'rod' has the name of a constraint", "line 9"}},
      {"output and coordinate", with_line(12, "outputs: {x: 2*x}"), "12:11", {"output 'x' has the name of a coordinate"}},
      {"force on nothing", with_line(8, "forces: {xx: -0.1*x'}"), "8:10", {"'xx' is none", "did you mean 'x'?"}},
      {"unknown scheme", with_line(14, "simulation: {end: 10, scheme: hme5}"), "14:31", {"no scheme 'hme5'", "did you mean 'hem5'?"}},
      {"unknown scheme without a neighbour", with_line(14, "simulation: {end: 10, scheme: leapfrog}"), "14:31", {"no scheme 'leapfrog'", "escapement schemes"}},
      {"unknown option", with_line(14, "simulation: {end: 10, scheme: hem5, options: {rho: 1}}"), "14:47", {"'rho'"}},
      {"unknown kept name", with_more("assemble: {keep: [x, yy]}"), "15:22", {"'yy' is none", "did you mean 'y'?"}},
  };
}

inline std::vector<Malformed> wrong_values() {
  return {
      {"list for a number", with_line(4, "  x: {start: [1, 2], rate: 0}"), "4:14", {"a number or an expression", "a list"}},
      {"map for a number", with_line(2, "parameters: {m: {a: 1}, l: 1, g: 9.81}"), "2:17", {"a number or an expression", "a map"}},
      {"number for a map", with_line(4, "  x: 3"), "4:6", {"'x' must be a map", "a single value"}},
      {"list for a map", with_line(2, "parameters: [1, 2]"), "2:13", {"'parameters' must be a map of names", "a list"}},
      {"nothing for a number", with_line(2, "parameters: {m: , l: 1, g: 9.81}"), "2:14", {"an expression is missing"}},
      {"text for a number", with_line(14, "simulation: {end: ten}"), "14:19", {"'ten' is not known"}},
      {"word for a flag", with_more("assemble: perhaps"), "15:11", {"true or false", "perhaps"}},
      {"number for a list", with_more("assemble: {keep: x}"), "15:18", {"'keep' is a list"}},
      {"bad choice", with_line(14, "simulation: {end: 10, error: per_stpe}"), "14:30", {"did you mean 'per_step'?"}},
      {"point with one number", with_line(13, "drawing: {rod: {segment: [[0], [x, y]]}}"), "13:27", {"two or three"}},
      {"point with four numbers", with_line(13, "drawing: {bob: {point: [0, 0, 0, 0]}}"), "13:24", {"two or three"}},
      {"segment with three points", with_line(13, "drawing: {rod: {segment: [[0, 0], [x, y], [1, 1]]}}"), "13:26", {"two points", "3 are given"}},
      {"two shapes in one", with_line(13, "drawing: {rod: {segment: [[0, 0], [x, y]], point: [0, 0]}}"), "13:44", {"already is a segment"}},
      {"no shape", with_line(13, "drawing: {rod: {closed: true}}"), "13:11", {"must be a point, segment, circle or polyline"}},
      {"circle without radius", with_line(13, "drawing: {bob: {circle: [x, y]}}"), "13:17", {"needs a 'radius'"}},
      {"negative radius", with_line(13, "drawing: {bob: {circle: [x, y], radius: -1}}"), "13:41", {"radius is -1 but must be greater than 0"}},
      {"radius of a segment", with_line(13, "drawing: {bob: {segment: [[0, 0], [x, y]], radius: 1}}"), "13:44", {"only a circle"}},
      {"closed segment", with_line(13, "drawing: {bob: {segment: [[0, 0], [x, y]], closed: true}}"), "13:44", {"only a polyline"}},
      {"infinite", with_line(2, "parameters: {m: .inf, l: 1, g: 9.81}"), "2:17", {"'.inf' is not a finite number"}},
      {"not a number", with_line(4, "  x: {start: .nan, rate: 0}"), "4:14", {"'.nan' is not a finite number"}},
      {"division by zero", with_line(2, "parameters: {m: 1, l: 1/0, g: 9.81}"), "2:23", {"not a finite number"}},
      {"root of a negative number", with_line(2, "parameters: {m: 1, l: sqrt(-1), g: 9.81}"), "2:23", {"not a finite number"}},
      {"huge exponent", with_line(2, "parameters: {m: 1, l: 1e999, g: 9.81}"), "2:23", {"too large"}},
      {"huge power", with_line(2, "parameters: {m: 1, l: 10^400, g: 9.81}"), "2:23", {"not a finite number"}},
      {"many parentheses", with_line(7, "potential_energy: " + repeated("(", 100000) + "y" + repeated(")", 100000)), "7:100019", {"longer than 100000 characters"}},
      {"deep parentheses", with_line(7, "potential_energy: " + repeated("(", 40000) + "y" + repeated(")", 40000)), "7:", {"nested deeper"}},
      {"open single quote", with_more("name: 'it''s"), "15:7", {"quote is not closed"}},
      {"open parenthesis", with_line(7, "potential_energy: m*(g*y"), "7:", {"'('"}},
      {"stray parenthesis", with_line(7, "potential_energy: m*g*y)"), "7:24", {"')'"}},
      {"missing operator", with_line(7, "potential_energy: m*g*2y"), "7:24", {"operator"}},
      {"two stars", with_line(7, "potential_energy: m*g*y**2"), "7:24", {"'**'", "^"}},
      {"odd character", with_line(7, "potential_energy: m*g*y$"), "7:24", {"'$'"}},
      {"umlaut before the mistake", with_line(7, "potential_energy: \"m*g*y + ü\""), "7:28", {"'ü'"}},
      {"too many arguments", with_line(7, "potential_energy: \"m*g*sin(y, x)\""), "7:24", {"'sin' takes 1 argument"}},
      {"comma in braces", with_line(12, "outputs: {angle: atan2(y, x)}"), "12:18", {"comma ends this value inside { }", "quotes", "\"atan2(y, x)\""}},
      {"comma in braces, nested", with_line(12, "outputs: {angle: if(x > 0, max(x, y), y)}"), "12:18", {"comma ends", "\"if(x > 0, max(x, y), y)\""}},
      {"comma in brackets", with_line(13, "drawing: {rod: {segment: [[0, 0], [max(x, 0), y]]}}"), "13:36", {"comma ends this value inside [ ]", "\"max(x, 0)\""}},
      {"comma in a merged line", with_line(4, "  x: {start: max(l, 1), rate: 0}"), "4:14", {"\"max(l, 1)\""}},
      {"restitution above 1", with_line(11, "  floor: {gap: y + 2, restitution: 1.5}"), "11:36", {"restitution is 1.5 but must lie between 0 and 1"}},
      {"negative restitution", with_line(11, "  floor: {gap: y + 2, restitution: -0.5}"), "11:36", {"restitution is -0.5"}},
      {"negative friction", with_line(11, "  floor: {gap: y + 2, friction: -0.5, slip: x'}"), "11:33", {"friction is -0.5 but must be at least 0"}},
      {"friction without slip", with_line(11, "  floor: {gap: y + 2, friction: 0.5}"), "11:33", {"friction but no 'slip'"}},
      {"slip not affine", with_line(11, "  floor: {gap: y + 2, friction: 0.5, slip: x'*y'}"), "11:44", {"affine"}},
      {"slip without a rate", with_line(11, "  floor: {gap: y + 2, friction: 0.5, slip: x}"), "11:44", {"depends on no rate"}},
      {"kinetic energy not quadratic", with_line(6, "kinetic_energy: m/2*(x'^2 + y'^3)"), "6:17", {"quadratic in the rates", "y'"}},
      {"constant constraint", with_line(9, "constraints: {rod: l^2 - 1}"), "9:20", {"depends on no coordinate"}},
      {"zero step", with_line(14, "simulation: {end: 10, step: 0}"), "14:29", {"step is 0 but must be greater than 0"}},
      {"negative tolerance", with_line(14, "simulation: {end: 10, tolerance: -1e-6}"), "14:34", {"tolerance is -1e-06 but must be greater than 0"}},
      {"zero end", with_line(14, "simulation: {end: 0}"), "14:19", {"end is 0 but must be greater than 0"}},
      {"negative save_every", with_line(14, "simulation: {end: 10, save_every: -1}"), "14:35", {"save_every is -1 but must be at least 0"}},
      {"step and tolerance", with_line(14, "simulation: {end: 10, step: 0.1, tolerance: 1e-6}"), "14:23", {"exclude each other"}},
      {"too many steps", with_line(14, "simulation: {end: 10, step: 1e-12}"), "14:29", {"1e+13 steps", "larger step"}},
      {"step below spacing", with_line(14, "simulation: {end: 10, step: 1e-16}"), "14:29", {"below the spacing"}},
      {"too many samples", with_line(14, "simulation: {end: 10, save_every: 1e-9}"), "14:35", {"1e+10 samples", "larger save_every"}},
      {"too many samples by steps", with_line(14, "simulation: {end: 10, step: 1e-9, save_every: 0}"), "14:47", {"1e+10 samples"}},
      {"option out of range", with_line(14, "simulation: {end: 10, scheme: hem5, options: {safety: 7}}"), "14:47", {"'safety'", "between"}},
      {"word for an option's number", with_line(14, "simulation: {end: 10, options: {safety: high}}"), "14:33", {"'safety' must be a number"}},
      {"shapes that cannot touch",
       "escapement: 1\ndimension: 2\nbodies: {a: {mass: 1, inertia: 1}}\ncontacts: {c: {between: [a, ground]}}\n"
       "simulation: {end: 1}\n",
       "4:26",
       {"has no shape that could touch", "shapes"}},
  };
}

inline std::vector<Malformed> wrong_starts() {
  return {
      {"singular mass", with_line(6, "kinetic_energy: m/2*x'^2"), "6:17", {"mass matrix is singular", "'y'"}},
      {"singular mass by dependence", with_line(6, "kinetic_energy: m/2*(x' + y')^2"), "6:17", {"mass matrix is singular", "'y'"}},
      {"negative mass", with_line(2, "parameters: {m: -1, l: 1, g: 9.81}"), "6:17", {"mass matrix is singular or not positive"}},
      {"zero mass", with_line(2, "parameters: {m: 0, l: 1, g: 9.81}"), "6:17", {"mass matrix"}},
      {"inconsistent position", with_line(4, "  x: {start: 1.5*l, rate: 0}"), "9:15", {"inconsistent", "'rod' is 0.625, not 0", "assemble: true"}},
      {"inconsistent velocity", with_line(4, "  x: {start: l, rate: 0.25}"), "9:15", {"the rate of 'rod' is 0.25, not 0", "assemble: true"}},
      {"penetration", with_line(11, "  floor: {gap: y - 0.5}"), "11:3", {"the gap of 'floor' is -0.5", "assemble: true"}},
      {"barely inconsistent", with_line(4, "  x: {start: l + 1e-8, rate: 0}"), "9:15", {"'rod' is 1e-08, not 0"}},
      {"cannot be assembled", with_line(9, "constraints: {a: x - 1, b: x - 2}") + "assemble: true\n", "9:", {"cannot be assembled"}},
      {"cannot be assembled while keeping", with_line(4, "  x: {start: 1.5*l, rate: 0}") + "assemble: {keep: [x, y]}\n", "9:15", {"cannot be assembled", "'rod' is 0.625", "keep fewer"}},
      {"force not finite at the start", with_line(7, "potential_energy: m*g*log(y)"), "7:19", {"force on 'y' is not a finite number at the start"}},
      {"mass not finite at the start", with_line(6, "kinetic_energy: m/2*(x'^2 + y'^2/y)"), "6:17", {"mass of 'y' is not a finite number"}},
      {"row not finite at the start", with_line(9, "constraints: {rod: x - l + 1/y}"), "9:15", {"'rod' or its derivatives are not finite"}},
      {"table with unequal lists", with_more("tables: {f: {x: [0, 1, 2], y: [0, 1]}}"), "15:10", {"3 values of x but 2 of y"}},
      {"table out of order", with_more("tables: {f: {x: [0, 2, 1], y: [0, 1, 2]}}"), "15:10", {"table 'f' cannot be used"}},
      {"table with one point", with_more("tables: {f: {x: [0], y: [0]}}"), "15:10", {"table 'f' cannot be used"}},
      {"table without y", with_more("tables: {f: {x: [0, 1]}}"), "15:10", {"'y' is missing"}},
      {"table of a word", with_more("tables: {f: {x: angle, y: [0, 1]}}"), "15:17", {"list of numbers", "'file'"}},
      {"table file missing", with_more("tables: {f: {file: none.csv, x: a, y: b}}"), "15:20", {"'none.csv' cannot be read"}},
      {"table interpolation", with_more("tables: {f: {x: [0, 1], y: [0, 1], interpolation: quadratic}}"), "15:51", {"'interpolation' cannot be 'quadratic'"}},
      {"table called without argument", with_line(7, "potential_energy: m*g*f*y") + "tables: {f: {x: [0, 1], y: [0, 1]}}\n", "7:23", {"'f' is a table"}},
  };
}
// clang-format on

inline std::vector<Malformed> malformed_models() {
  std::vector<Malformed> all;
  for (auto part : {broken_yaml(), wrong_keys(), wrong_names(), wrong_values(), wrong_starts()})
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace escapement::testing
