// The reproduction's own arithmetic: printed digits, verdicts, expressions over results, and an experiment from its
// text.
#include "study/reproduction.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "io/model_error.hpp"
#include "study/condition_number.hpp"
#include "study/probe.hpp"
#include "study/reproduction_text.hpp"
#include "study/row_maker.hpp"

namespace escapement::reproduction_test {
namespace {

Verdict compare(const std::string& published, double ours, double same_within = 0.05, double rounding = 0) {
  return compare_numbers(published, ours, same_within, rounding);
}

TEST(Verdict, CountsPrintedDigits) {
  EXPECT_EQ(printed_digits("4.98566e-05"), 6);
  EXPECT_EQ(printed_digits("0.037"), 2);
  EXPECT_EQ(printed_digits("5.25e-3"), 3);
  EXPECT_EQ(printed_digits("2.0"), 2);
  EXPECT_EQ(printed_digits("0"), 1);
}

TEST(Verdict, IsEqualExactlyWhereThePrintedDigitsAre) {
  EXPECT_EQ(compare("4.98566e-05", 4.985664e-5).kind, VerdictKind::equal);
  EXPECT_EQ(compare("4.98566e-05", 4.985651e-5).kind, VerdictKind::same);  // the last digit is another one
  EXPECT_EQ(compare("2.0", 1.68).kind, VerdictKind::unexplained);
  EXPECT_EQ(compare("2.0", 1.96).text, "equal to the printed digits");
}

// one digit is met by anything from half a unit below to half a unit above
TEST(Verdict, AsksForMoreThanTheOneDigitThatIsPrinted) {
  EXPECT_EQ(compare("1", 1.49).kind, VerdictKind::unexplained);
  EXPECT_EQ(compare("1", 1.49, 0.5).text, "same to within 49 %; one digit is printed");
  EXPECT_EQ(compare("1", 1.04).text, "equal to the one printed digit");
  EXPECT_EQ(compare("8", 8.01).text, "equal to the one printed digit");
  EXPECT_EQ(compare("8", 8.1).text, "same to within 1.3 %; one digit is printed");
  EXPECT_EQ(compare("4e-3", 4.3e-3).kind, VerdictKind::unexplained);
  EXPECT_EQ(compare("0", 1e-3).kind, VerdictKind::unexplained);
}

TEST(Verdict, StatesTheDifferenceItFound) {
  EXPECT_EQ(compare("100", 104).text, "same to within 4 %");
  EXPECT_EQ(compare("100", 96).text, "same to within 4.2 %");  // of the smaller one
  EXPECT_EQ(compare("100", 170, 1).text, "same to within a factor of 1.7");
  EXPECT_EQ(compare("100", -100).kind, VerdictKind::unexplained);
  EXPECT_EQ(compare("100", NAN).kind, VerdictKind::unexplained);
  EXPECT_EQ(compare("100", 106).kind, VerdictKind::unexplained);
  EXPECT_EQ(compare("1.0e-15", 4e-15, 0.05, 1e-14).kind, VerdictKind::same);
  EXPECT_EQ(compare("1.0e-15", 4e-14, 0.05, 1e-14).kind, VerdictKind::unexplained);
  EXPECT_EQ(compare("0", 4e-15, 0.05, 1e-14).kind, VerdictKind::same);
}

CaseResults three_points() {
  CaseResult result;
  for (const double h : {0.1, 0.01, 0.001}) {
    Point point;
    point.done = true;
    point.values["error"] = 3 * h * h;
    point.columns["q.x"] = {1, -2, 4};
    result.varied.push_back(h);
    result.labels.push_back("");
    result.points.push_back(point);
  }
  return {{"run", result}};
}

TEST(Names, OfCasesAndPoints) {
  CaseResults results = three_points();
  const Lookup names = names_of(results);
  EXPECT_NEAR(evaluate("run.slope.error", names), 2, 1e-12);
  EXPECT_DOUBLE_EQ(evaluate("run.p1.error/run.p2.error", names), 100);
  EXPECT_DOUBLE_EQ(evaluate("run.max.error - run.first.error", names), 0);
  EXPECT_DOUBLE_EQ(evaluate("run.p3.min.q.x + run.p3.max.q.x + run.p3.mean.q.x", names), 3);
  EXPECT_EQ(fill_in("from {run.p1.error} to {run.p1.max.q.x}", names), "from 0.03 to 4");
  EXPECT_THROW(evaluate("run.p4.error", names), std::runtime_error);
  EXPECT_THROW(evaluate("run.p1.errors", names), std::runtime_error);
  EXPECT_EQ(column_of(results["run"].points[0], "2*q.x + error"), (std::vector<double>{2.03, -3.97, 8.03}));
  // what the quick version left out is missing, never guessed from the rest
  results["run"].points[2].done = false;
  EXPECT_THROW(evaluate("run.slope.error", names), LeftOut);
  EXPECT_THROW(evaluate("run.max.error", names), LeftOut);
  EXPECT_DOUBLE_EQ(evaluate("run.p1.error", names), 0.03);
}

const std::string drop = R"(paper: "000"
place: Table 0
title: a falling stone
model: stone
models:
  stone: |
    escapement: 1
    coordinates: {z: {start: 0}}
    kinetic_energy: z'^2/2
    potential_energy: 10*z
    simulation: {end: 1, scheme: rk4, step: 0.1}
cases:
  fall: {vary: {set.g: [1]}, scheme: rk4, step: 0.1}
  run:
    quick: 1
    vary: {end: [1, 2]}
    measures: {depth: -final.q.z}
rows:
  - {what: depth, unit: m, case: run, value: depth, published: [5.00, 19.0], remark: "it fell {depth} m"}
  - {what: faster, claim: it gets faster, holds: run.p2.depth > 2*run.p1.depth, value: "{run.p2.depth} m"}
  - {what: work, value: run.p1.work, against: run.p1.work + 1}
  - {what: other, absent: nobody threw it}
)";

Experiment without_fall() {
  std::string text = drop;
  text.erase(text.find("  fall:"), text.find("  run:") - text.find("  fall:"));
  return read_experiment("000_drop.yaml", text);
}

TEST(Experiment, RunsFromItsText) {
  const Experiment experiment = without_fall();
  const Reproduced made = reproduce(experiment, false);
  ASSERT_EQ(made.rows.size(), 5u);
  EXPECT_EQ(made.rows[0].verdict.kind, VerdictKind::equal);
  EXPECT_EQ(made.rows[1].verdict.text, "differs; not explained: it fell 20 m");
  EXPECT_EQ(made.rows[2].verdict.kind, VerdictKind::holds);
  EXPECT_EQ(made.rows[2].verdict.text, "holds; contradicted by run.p2.depth <= 2*run.p1.depth");
  EXPECT_EQ(made.rows[2].ours, "20 m");
  EXPECT_EQ(made.rows[3].verdict.kind, VerdictKind::better);
  EXPECT_EQ(made.rows[4].verdict.text, "not reproduced: nobody threw it");
  // the quick version has the same rows and says what it left out
  const Reproduced quick = reproduce(experiment, true);
  ASSERT_EQ(quick.rows.size(), 5u);
  EXPECT_EQ(quick.rows[0].verdict.kind, VerdictKind::equal);
  EXPECT_EQ(quick.rows[1].verdict.kind, VerdictKind::left_out);
  EXPECT_EQ(quick.rows[2].verdict.kind, VerdictKind::left_out);
}

// what a run is measured by, where everything is known: a stone falls freely and is led sideways; the truth is the last of its points
TEST(Experiment, MeasuresItsRuns) {
  const Experiment experiment = read_experiment("000_measures.yaml", R"(paper: "000"
place: Table 0
title: a stone that falls and is led sideways
model: stone
models:
  stone: |
    escapement: 1
    parameters: {m: 2}
    coordinates: {z: {start: 0}, y: {start: 0, rate: 1}}
    kinetic_energy: m*(z'^2 + y'^2)/2
    potential_energy: 10*m*z
    constraints: {guide: "(2 + m)*y - 4*t"}
    simulation: {end: 1.05, scheme: rk4, step: 0.1}
cases:
  truth: {vary: {end: [0.5, 1.05]}}
  run: {reference: truth, step: 0.3}
rows:
  - {what: largest step, value: run.p1.steps.largest, expected: 0.300}
  - {what: steps, value: run.p1.steps, expected: 4.00}
  - {what: depth, value: run.p1.final.q.z, expected: -5.5125}
  - {what: error, value: "run.p1.error < 1e-13", expected: 1.00}
  - {what: energy, value: run.p1.energy.highest, expected: 1.00}
  - {what: rise, value: "run.p1.energy.total_rise < 1e-13", expected: 1.00}
)");
  const Reproduced made = reproduce(experiment, false);
  ASSERT_EQ(made.rows.size(), 6u);
  for (const auto& row : made.rows) EXPECT_EQ(row.verdict.text, "equal to the expected digits") << row.what << ": " << row.ours;
}

// an interrupt keeps what has come to its end, and nothing of a run that it cut short
TEST(Experiment, IsKeptWhenAnotherIsInterrupted) {
  const Experiment short_one = without_fall();
  std::string text = drop;
  text.replace(text.find("end: [1, 2]"), 11, "end: [1e8, 2e8]");  // hours
  text.erase(text.find("  fall:"), text.find("  run:") - text.find("  fall:"));
  const Experiment long_one = read_experiment("000_long.yaml", text);
  std::atomic<bool> interrupt = false;
  ReproduceOptions options;
  options.threads = 2;
  options.interrupt = &interrupt;
  options.on_progress = [&](int, int, const Experiment&) { interrupt = true; };
  const Reproduction all = reproduce({&long_one, &short_one}, options);
  ASSERT_EQ(all.made.size(), 1u);
  EXPECT_EQ(all.made[0].experiment, &short_one);
  EXPECT_EQ(all.made[0].rows.size(), 5u);
  EXPECT_EQ(all.missing, std::vector<const Experiment*>{&long_one});
  EXPECT_EQ(missing_text(all), "interrupted: 1 of 2 experiments is missing (000_long)");
  const auto json = nlohmann::json::parse(json_text(all, false));
  EXPECT_EQ(json["status"], "interrupted");
  EXPECT_EQ(json["missing"], nlohmann::json{"000_long"});
  EXPECT_EQ(json["experiments"].size(), 1u);
  EXPECT_NE(markdown_text(all).find("This run was interrupted: 1 of 2 experiments is missing"), std::string::npos);
  const auto page = nlohmann::json::parse(page_json(find_paper("000"), all, false));
  EXPECT_EQ(page["status"], "interrupted");
  EXPECT_EQ(page["sections"].size(), 1u);
  EXPECT_THROW(reproduce(long_one, false, &interrupt), Interrupted);
}

const std::string readings = R"(paper: "000"
place: Table 0
title: a falling stone, read in several ways
model: stone
models:
  stone: |
    escapement: 1
    parameters: {g: 10, speed: 0}
    coordinates: {z: {start: 0, rate: -speed}}
    kinetic_energy: z'^2/2
    potential_energy: g*z
    simulation: {end: 1, scheme: rk4, step: 0.1}
cases:
  run: {title: from rest, quick: 1, vary: {end: [1, 2], printed: [5, 21]}, measures: {depth: -final.q.z}}
  thrown: {title: thrown, set: {speed: 1}, vary: {end: [1, 2]}, measures: {depth: -final.q.z}}
  grid: {quick: 0, vary: {end: [1, 2]}, measures: {depth: -final.q.z}, grid: {set.g: [9, 10.5], set.speed: [0, 2]}}
rows:
  - {what: depth, case: run, value: depth, same_within: 0.01, published: [5.00, 21.0], tried: [thrown, grid], also: {half: depth/2}}
  - {what: proven, case: run, value: depth, same_within: 0.01, published: [6.00, 21.0], tried: [thrown], proof: printed > 10, because: "{printed} m is too far by {printed - thrown.here.depth + 2} m"}
)";

TEST(Experiment, SaysWhatOtherReadingsGive) {
  const Reproduced made = reproduce(read_experiment("000_readings.yaml", readings), false);
  ASSERT_EQ(made.rows.size(), 8u);
  EXPECT_EQ(made.rows[0].verdict.kind, VerdictKind::equal);
  EXPECT_EQ(made.rows[1].verdict.kind, VerdictKind::unexplained);
  EXPECT_EQ(
      made.rows[1].verdict.text,
      "differs; not explained: tried thrown (22), 4 readings (18 to 25; nearest 21 with g 10.5, speed 0, which meets "
      "it), half (10); readings tried: 5");
  // a reason counts only where it is proven
  EXPECT_EQ(made.rows[2].verdict.text, "differs; not explained: tried thrown (6, which meets it); readings tried: 1");
  EXPECT_EQ(made.rows[3].verdict.text, "differs because 21 m is too far by 1 m; the printed numbers alone show it; readings tried: 1");
  // how far the readings carry
  EXPECT_EQ(made.rows[4].what + ": " + made.rows[4].ours, "reading: from rest: meets 1 of 4 printed values");
  EXPECT_EQ(made.rows[5].what + ": " + made.rows[5].ours, "reading: thrown: meets 1 of 4 printed values");
  EXPECT_EQ(made.rows[6].what + ": " + made.rows[6].ours,
            "best of 4 readings: g 10.5, speed 0: meets 1 of 2 printed values");
  // the quick version has the same rows
  const Reproduced quick = reproduce(read_experiment("000_readings.yaml", readings), true);
  ASSERT_EQ(quick.rows.size(), 8u);
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(quick.rows[i].what, made.rows[i].what);
  EXPECT_EQ(quick.rows[6].verdict.kind, VerdictKind::left_out);
}

// reasons in order, with the two numbers and what the readings of a grid give at the same point
TEST(Experiment, TakesTheFirstReasonThatIsProven) {
  std::string text = readings;
  text.erase(text.find("rows:"));
  text += R"(rows:
  - what: depth
    case: run
    value: depth
    same_within: 0.01
    published: [6.00, 21.0]
    tried: [thrown]
    reasons:
      - {proof: thrown.here.depth > 10 and ours < 10, because: never}
      - {proof: grid.meets > 0, because: "{grid.meets} of {grid.count} readings meet it"}
      - {proof: grid.least.depth < published and grid.most.depth > published, because: "{grid.count} readings give {grid.least.depth} to {grid.most.depth}"}
      - {proof: thrown.here.depth > ours, because: "{ours} is not {published}"}
  - {what: one reason more, case: run, value: depth, same_within: 0.01, published: [6.00, 21.0], tried: [thrown], reasons: [{proof: missing.least.depth > 0, because: nothing}]}
)";
  EXPECT_THROW(reproduce(read_experiment("000_reasons.yaml", text), false), std::runtime_error);  // there is no 'missing'
  text.erase(text.find("  - {what: one reason more"));
  const Reproduced made = reproduce(read_experiment("000_reasons.yaml", text), false);
  EXPECT_EQ(made.rows[0].verdict.text, "differs because 4 readings give 4.5 to 7.25; readings tried: 5");
  // of many readings some meet any number
  EXPECT_EQ(made.rows[1].verdict.kind, VerdictKind::fitted);
  EXPECT_EQ(made.rows[1].verdict.text,
            "fitted: differs, and a reading picked afterwards meets it: 1 of 4 readings meet it; readings tried: 5");
  text.replace(text.find("[6.00, 21.0]"), 12, "[6.00, 90.0]");
  EXPECT_EQ(reproduce(read_experiment("000_reasons.yaml", text), false).rows[1].verdict.text,
            "differs because 20 is not 90; readings tried: 5");
}

// what nobody printed does not stand among the papers' numbers, and what was picked to meet a number does not meet it
TEST(Experiment, TellsWhatIsPrintedFromWhatIsOursOrFitted) {
  std::string text = drop.substr(0, drop.find("rows:"));
  text.erase(text.find("  fall:"), text.find("  run:") - text.find("  fall:"));
  text += R"(  picked: {fitted: g was picked among 7 to meet it, end: 1, measures: {depth: -final.q.z}}
rows:
  - {what: met, unit: m, value: run.p1.depth, expected: 5.00}
  - {what: missed, value: run.p1.depth, expected: 7.00}
  - {what: said, statement: it falls, holds: run.p1.depth > 0 and run.p1.depth < 6}
  - {what: said wrongly, statement: it rises, holds: run.p1.depth < 0}
  - {what: picked, value: picked.p1.depth, published: 5.00}
  - {what: by the picked one, value: run.p2.depth, published: 5.00, proof: abs(picked.p1.depth - published) < 0.1, because: it ends at 1 s}
  - {what: proven, value: run.p2.depth, published: 5.00, proof: abs(run.p2.depth/run.p1.depth - 4) < 0.1, because: it is the square of the time}
  - {what: not proven, value: run.p2.depth, published: 5.00, proof: run.p2.depth < run.p1.depth, because: nothing}
)";
  const Reproduced made = reproduce(read_experiment("000_sources.yaml", text), false);
  const auto is = [&](int row, VerdictKind kind, const std::string& verdict) {
    EXPECT_EQ(made.rows[row].verdict.kind, kind) << made.rows[row].verdict.text;
    EXPECT_EQ(made.rows[row].verdict.text, verdict);
  };
  is(0, VerdictKind::ours, "equal to the expected digits");
  EXPECT_EQ(made.rows[0].published, "5.00 m (ours, expected)");
  is(1, VerdictKind::missed, "differs; not explained");
  is(2, VerdictKind::ours, "holds; contradicted by run.p1.depth <= 0 or run.p1.depth >= 6");
  EXPECT_EQ(made.rows[2].published, "it falls (ours, expected)");
  is(3, VerdictKind::missed, "differs; not explained");
  is(4, VerdictKind::fitted, "fitted: equal to the printed digits, but g was picked among 7 to meet it");
  is(5, VerdictKind::fitted, "fitted: differs, and a reading picked afterwards meets it: it ends at 1 s");
  is(6, VerdictKind::explained, "differs because it is the square of the time");
  is(7, VerdictKind::unexplained, "differs; not explained");
  EXPECT_EQ(verdict_counts({made}),
            "0 equal, 0 same, 2 fitted, 0 holds, 1 explained, 1 not explained, 4 ours (2 as expected, 2 not as expected)");
}

TEST(Experiment, RefusesReasonsWithoutProofAndNumbersWithoutPaper) {
  const std::string head = drop.substr(0, drop.find("rows:") + 6);
  const auto refusal = [&](const std::string& row, const std::string& place = "Table 0") {
    std::string text = head + "  - {what: depth, " + row + "}\n";
    text.replace(text.find("Table 0"), 7, place);
    try {
      read_experiment("x.yaml", text);
    } catch (const ModelError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const auto refuses = [&](const std::string& why, const std::string& row, const std::string& place = "Table 0") {
    EXPECT_NE(refusal(row, place).find(why), std::string::npos) << refusal(row, place);
  };
  const std::string number = "value: run.p1.depth, published: 6.0";
  EXPECT_EQ(refusal(number), "");
  refuses("'because' needs 'proof'", number + ", because: so it is");
  refuses("'because' needs 'proof'", number + ", reasons: [{because: so it is}]");
  refuses("no more than that the two numbers differ", number + ", because: it is less, proof: ours < published");
  refuses("no more than that the two numbers differ", number + ", because: so it is, proof: 1 < 2");
  refuses("nobody publishes a 0", "value: run.p1.depth, published: 0");
  refuses("nothing is printed under 'And now'", number, "And now");
  refuses("nothing is printed under 'And now'", "claim: it falls, holds: run.p1.depth > 0", "And now");
  EXPECT_EQ(refusal("value: run.p1.depth, expected: 6.0", "And now"), "");
  EXPECT_EQ(refusal("statement: it falls, holds: run.p1.depth > 0", "And now"), "");
  refuses("either 'published' or 'expected'", number + ", expected: 6.0");
  refuses("needs a 'claim'", "holds: run.p1.depth > 0");
}

TEST(Statement, SaysWhatWouldContradictIt) {
  EXPECT_EQ(contradiction("a < 1"), "a >= 1");
  EXPECT_EQ(contradiction("min(a, b) >= 2 and abs(c - 1) < 0.1 and d == 1"), "min(a, b) < 2 or abs(c - 1) >= 0.1 or d != 1");
  EXPECT_EQ(contradiction("(a < 1) and not(b > 2)"), "not ((a < 1)) or not (not(b > 2))");
  EXPECT_EQ(contradiction("a < 1 or b > 2"), "not (a < 1 or b > 2)");
}

TEST(Experiment, DoesNotCallAPartOfAMotionTheSame) {
  std::string text = R"(paper: "000"
place: Table 0
title: a slider-crank
model: slider_crank
cases:
  run: {scheme: rkf45, tolerance: 1e-2, end: 2, save_every: 2, set: {inertia: 0}, options: {projection: none, control: elementary, min_step: 1e-6, max_drift: 1e-3, error_norm: euclidean, error_scale: absolute}}
rows:
  - {what: completed, case: run, value: completed}
  - {what: work, case: run, value: work, published: WORK}
)";
  const auto rows = [&](const std::string& work) {
    std::string with = text;
    with.replace(with.find("WORK"), 4, work);
    return reproduce(read_experiment("000_part.yaml", with), false).rows;
  };
  const std::string work = rows("1")[1].ours;
  const std::vector<Row> made = rows(work);
  ASSERT_EQ(made[0].ours, "0");
  EXPECT_EQ(made[1].ratio, "1");
  EXPECT_EQ(made[1].verdict.kind, VerdictKind::unexplained);
  EXPECT_EQ(made[1].verdict.text.find("differs; not explained: our run stops at 1."), 0u) << made[1].verdict.text;
}

TEST(Experiment, FindsTheToleranceOfAPrintedNumber) {
  const Experiment experiment = read_experiment("000_matched.yaml", R"(paper: "000"
place: Table 0
title: a pendulum
model: pendulum_angle
cases:
  run: {scheme: rkf45, end: 1, save_every: 1, vary: {tolerance: [1e-7]}}
  matched: {kind: matched, scheme: rkf45, end: 1, save_every: 1, match: work, target: 400, range: [1e4, 1e-4], vary: {tolerance: [1e-7]}}
  far: {kind: matched, scheme: rkf45, end: 1, save_every: 1, match: work, target: 1e9, range: [10, 0.1], vary: {tolerance: [1e-7]}}
rows:
  - {what: met, value: matched.p1.met}
  - {what: not met, value: far.p1.met}
  - {what: work, value: abs(matched.p1.work/400 - 1) < 0.05}
  - {what: tolerance, value: (run.p1.work < 400 and matched.p1.chosen < 1e-7) or (run.p1.work > 400 and matched.p1.chosen > 1e-7)}
)");
  const Reproduced made = reproduce(experiment, false);
  EXPECT_EQ(made.rows[0].ours, "1");
  EXPECT_EQ(made.rows[1].ours, "0");
  EXPECT_EQ(made.rows[2].ours, "1");
  EXPECT_EQ(made.rows[3].ours, "1");
}

// neither a difference nor an improvement looks better than it is
TEST(Verdict, RoundsAgainstUs) {
  EXPECT_EQ(difference_text(1.121), "13 %");
  EXPECT_EQ(difference_text(0.0088), "a factor of 200");
  EXPECT_EQ(difference_text(1 / 1.121, true), "12 %");
  EXPECT_EQ(difference_text(0.0088, true), "a factor of 100");
  EXPECT_EQ(difference_text(0.475, true), "a factor of 2.1");
}

TEST(Experiment, TakesTheLoosestToleranceThatServes) {
  const Experiment experiment = read_experiment("000_ladder.yaml", R"(paper: "000"
place: Table 0
title: a pendulum
model: pendulum_angle
cases:
  truth: {scheme: phem56, tolerance: 1e-13, end: 1, save_every: 1}
  base: {scheme: rkf45, end: 1, save_every: 1, vary: {tolerance: [1e-6]}, reference: truth}
  ladder: {kind: loosest, scheme: rkf45, end: 1, save_every: 1, ladder: [1e-2, 1e-10, 2], until: error < base.here.error*1.0001, vary: {tolerance: [1e-6]}, reference: truth}
  step: {kind: loosest, scheme: rk4, end: 1, save_every: 1, steps: [0.5, 1e-3, 2], until: steps > 10, reference: truth}
  never: {kind: loosest, scheme: rkf45, end: 1, save_every: 1, ladder: [1e-2, 1e-4, 1], until: error < 0, vary: {tolerance: [1e-6]}, reference: truth}
  both: {kind: loosest, schemes: [rkf45, phem56], end: 1, save_every: 1, ladder: [1e-2, 1e-10, 2], steps: [0.5, 1e-3, 2], until: error < base.p1.error*1.0001, reference: truth}
rows:
  - {what: chosen, value: ladder.p1.chosen}
  - {what: met, value: ladder.p1.met}
  - {what: step, value: step.p1.chosen}
  - {what: not met, value: never.p1.met + never.p1.chosen}
  - {what: least, value: 'both.p1.work - min(min(both.p1.work.rkf45, both.p1.work.phem56), min(both.p1.work.rkf45.steps, both.p1.work.phem56.steps))'}
  - {what: of the scheme, value: both.p1.chosen.rkf45}
  - {what: of none, value: never.p1.work.rkf45}
)");
  const Reproduced made = reproduce(experiment, false);
  EXPECT_EQ(made.rows[0].ours, "1e-06");  // the rungs above it are not good enough
  EXPECT_EQ(made.rows[1].ours, "1");
  EXPECT_EQ(made.rows[2].ours, "0.05");
  EXPECT_EQ(made.rows[3].ours, "0.0001");  // the last rung, which does not serve either
  EXPECT_EQ(made.rows[4].ours, "0");
  EXPECT_EQ(made.rows[5].ours, "1e-06");
  EXPECT_EQ(made.rows[6].ours, "unbounded");
}

TEST(Experiment, RefusesWhatItDoesNotKnow) {
  EXPECT_THROW(reproduce(read_experiment("000_drop.yaml", drop), false),
               OverrideError);  // the stone has no parameter g
  EXPECT_THROW(read_experiment("x.yaml", drop + "colour: red\n"), ModelError);
  EXPECT_THROW(read_experiment("x.yaml", drop + "  - {what: nothing}\n"), ModelError);
  EXPECT_THROW(read_experiment("x.yaml", drop + "  - {what: two, case: run, value: work, published: [1, 2, 3]}\n"),
               ModelError);
  EXPECT_THROW(find_probe("guess"), std::runtime_error);
}

TEST(Papers, AnswerToNumbersAuthorsAndTheirFirstLetters) {
  const std::vector<Paper> some{{"000", "one", {"bruls", "arnold"}}, {"001", "two", {"brown"}}, {"002", "three", {"bro"}}};
  auto ids = [&](const std::string& name) {
    std::string list;
    for (const Paper* paper : papers_named(name, some)) list += paper->id + " ";
    return list;
  };
  EXPECT_EQ(ids("001"), "001 ");
  EXPECT_EQ(ids("Bruls"), "000 ");
  EXPECT_EQ(ids("BRÜLS"), "000 ");
  EXPECT_EQ(ids("brül"), "000 ");
  EXPECT_EQ(ids("brow"), "001 ");
  EXPECT_EQ(ids("bro"), "002 ");  // the whole name goes before the beginning of another
  EXPECT_EQ(ids("br"), "");
  EXPECT_EQ(ids("arnolds"), "");
  EXPECT_EQ(ids(""), "");
  const std::vector<Paper> alike{{"000", "one", {"schoeder"}}, {"001", "two", {"schindler"}}};
  EXPECT_EQ(papers_named("sch", alike).size(), 2u);
  for (const Paper& paper : papers())
    for (const std::string& author : paper.authors)
      for (const std::string& name : {author, author.substr(0, 3)}) {
        ASSERT_EQ(papers_named(name).size(), 1u) << name;
        EXPECT_EQ(papers_named(name).front()->id, paper.id) << name;
      }
}

TEST(Experiment, AllOfTheProgramAreReadable) {
  std::map<std::string, int> rows;
  for (const Experiment& e : experiments()) rows[e.paper] += static_cast<int>(e.rows.size());
  for (const Paper& paper : papers()) EXPECT_GT(rows[paper.id], 5) << paper.id;
}

TEST(ConditionNumber, ReachesFarBelowDoublePrecision) {
  Mat A(2, 2);
  A << 1, 1, 1, 1 + 1e-14;
  EXPECT_NEAR(condition_number(A) / 4e14, 1, 1e-2);
  A << 1e20, 0, 0, 1e-15;
  EXPECT_NEAR(condition_number(A) / 1e35, 1, 1e-12);
}

}  // namespace
}  // namespace escapement
