// The numbers that decide: what counts as little, and of what. Each is a ratio, free of units, with its reason; no other
// file of math, system, model, nonsmooth, schemes and simulate has one of its own.
//
// A double carries 1.1e-16 of itself as rounding. What a sum carries is measured by its largest term
// (System::position_terms), what a row carries by the coordinate that moves it (row_scale), what a contact's speeds and
// forces carry by what they have been so far (ContactDynamics).
#pragma once

namespace escapement::inline math::little {

// --- rounding ---
constexpr double rounding = 1e-15;  // of one number: ten roundings. A scaled pivot, a correction, a part of a step
constexpr double digits = 1e-14;    // of a number found by iteration: its last digits
// An iteration that has stopped to decrease has met rounding if what it corrects is that small
constexpr double stagnation = 1e-10;
constexpr double near_rounding = 1e-8;     // of positions: half the digits; what is corrected further may be rounding
constexpr double grown_rounding = 1e-5;    // the most that rows which almost depend on each other may make of rounding
constexpr double increment = 1e-13;        // of velocities: the last one of Newton's method in moreau-jean
constexpr double identity = 1e-9;          // of the terms of an expression that vanishes wherever it is tried
constexpr double quad_cosine = 1e-62;      // squared, of two columns in quadruple precision: above the square of rounding
constexpr double angle = 1e-4;             // of a rotation: the next term of the series is its fourth power, rounding
constexpr double sine = 1e-8;              // of half an angle: its square is rounding

// --- rank: rows that depend on others, and contacts that others hold fast ---
// What others leave of a row, squared, over what it is alone (in the kinetic metric: its response to a unit force).
// Rounding in rows of length one leaves 1e-16 of them and so 1e-32; multipliers grow like the inverse, positions that are
// off by 1e-12 then turn into velocities that are off by 1e-12 / 1e-5
constexpr double row_left = 1e-10;
constexpr double regularisation = 1e-9;     // of a dependent row, over its own response: above row_left, below what matters
constexpr double doubtful_pivot = 1e-6;     // scaled: with smaller ones a solution loses digits and is refined
constexpr double suspicious_pivot = 1e-12;  // scaled, of the matrix of three fields, whose scales differ by squares of the step
constexpr double lcp_pivot = 1e-13, lcp_tie = 1e-11;  // of tableaux whose entries are of size one
constexpr double tie = 1e-6;     // of two sizes that are equal but for rounding: the first one is taken, not the larger
constexpr double joined = 1e-9;  // parts of two rows in one vanishing combination: they belong together
constexpr double part_of_null = 1e-4;  // of a row in a vanishing combination: with less it cannot be left out
constexpr double blocked = 1e-6;       // of a wanted direction: what rows leave of it is none
constexpr double vanishing_row = 1e-4;  // square of a row's length over the largest it has had: it has no say here
// Dead points: squares of distances, over the best one. Nearer than the first, stages go onto the rows; no step ends
// nearer than the second; rows that were never clearer than the third are redundant ones
constexpr double near_dead_point = 1e-2, dead_point = 1e-6, never_clear = 1e-8;

// --- gaps and rows ---
constexpr double gap = 1e-13;            // of the largest term that a gap or a row sums: its rounding
constexpr double touching = 10 * gap;    // contacts within it close together; rows within it are met
constexpr double resting_gap = 1e-9;     // of what counts as one: closed, where positions were found by iteration
constexpr double rows_met = 1e-6;        // of the terms of a velocity or acceleration row: what solvers leave of dependent ones
constexpr double lost_level = 1e-3;      // scaled drift with which a level is lost that a scheme keeps

// --- shapes ---
constexpr double flush = 1e-9;        // of a solid's size: corners lie in a plane, ends meet, two distances are equal
constexpr double parallel = 1e-12;    // squared sine of two directions that count as parallel; part of a size that rounding may move
constexpr double upright = 1e-6;      // sine of a tilt with which a cylinder's rim has no lowest point
constexpr double projected = 1e-9;    // of the smaller body's size: what the projection of positions leaves
constexpr double touches = 1e-7;      // of the same: what counts as touching, which must be more

// --- many contacts ---
constexpr double equal_response = 1e-13;  // of a contact's responses in all directions: a ball's
constexpr double armijo = 1e-4;           // part of the foretold decrease that a line search asks for
constexpr double weakest_penalty = 1e-6;  // of the first one: multipliers with less have failed
// of a row's own response, added to it where contacts can share friction in many ways: 18 problems of a box that stops sliding on its
// corners took 32 to 80 Newton steps, with a first one from 1 to 1e-3
constexpr double first_share = 1e-2;
constexpr double tight_sweeps = 1e-8, loose_sweeps = 1e-3;  // residuals over the scale of velocities: Newton's method; sweeps of piles

// --- rest ---
constexpr double rest = 1e-12;         // of a contact's speeds or forces so far: it neither approaches, leaves nor slips
constexpr double solved = 1e-9;        // the same of what a contact problem or a drive leaves: solvers reach contact_residual
constexpr double rest_on_rows = 1e-6;  // of its speeds: closed contacts, which rows or projections hold at rest
constexpr double slow_approach = 1e-6;  // of the fastest one: a sequence of impacts ends
constexpr double square_at_rest = 1e-12;  // of a velocity over what counts as one, squared
constexpr double hardly_moving = 1e-3;    // of what counts as one: speeds are measured by no less
constexpr double right_set = 0x1p-48;       // per row of a contact problem: what the right set leaves, sixteen roundings
constexpr double contact_residual = 1e-10;  // of a contact problem that counts as solved; direct methods reach rounding
constexpr double friction = 1e-6;           // of friction at its limit, far above what solvers leave
constexpr double unexplained = 1e-6;        // of the speeds so far: a change in a step that accelerations need not explain

// --- time ---
constexpr double instant = 1e-12;   // of a step or a time: ends within it are one
constexpr double same_step = 1e-9;  // of a step: sizes within it are equal, grid points within it are its end
constexpr double place = 1e-9, rough_place = 1e-6;  // of a step: a place on the dense output; before steps themselves are asked
constexpr double short_step = 1e-6;     // of a step: velocities of index 3 would show the rounding of positions
constexpr double cubic_floor = 1e-6;    // of the largest gap in a step: a cubic need not describe it closer
constexpr double touching_fit = 1e-3;   // of its size: an interpolation that touches zero must describe a function so closely
constexpr double first_step = 1e-3;     // of the run, before any step has been taken
constexpr double peek = 1e-3;           // of a usual step: how far ahead forces are asked for at a singular place
constexpr double grazing = 1e-6;         // of the mean rate of a switch: with less at a branch, a motion may just touch it
constexpr double crowded = 1e-7;        // of the run: events closer together belong to one crowd
constexpr double little_progress = 2e-3, jumpy_progress = 2e-2;  // of the run, in a long row of steps; where many are rejected
constexpr double no_error = 1e-2;       // of the tolerance: smaller errors neither predict nor hold back a step
constexpr double far_correction = 1e-3;  // of the unknowns: after it the matrix of Newton's method is of no use
constexpr double least_decay = 1e-3;     // of what a structural method remembers, per step: no more steps are made for it
constexpr double foretold = 1e-5, foretold_motion = 1e-3;  // of the tolerance: the next correction of a Newton iteration, of its motion
constexpr double default_tolerance = 1e-6;

// --- equilibria and small motions ---
constexpr double downhill = 1e-4;      // of the forces at the start: near enough for Newton's method
constexpr double first_shift = 1e-3;   // of a typical stiffness: the first inertia that shortens a step
constexpr double shortest_part = 1e-6;  // of a step onto the rows that is shortened until it helps
constexpr double eigenvalue = 1e-12;
constexpr double soft = 1e-9, below = 1e-3;  // of the stiffest motion, of the lowest ones found: shifts of the spectrum
constexpr double asymmetry = 1e-9;           // of the stiffness: forces have a potential

}  // namespace escapement::little

// Where good runs end and bad ones begin, each over the model's own size. Right runs of the examples and of random models
// lie orders of magnitude below, runs that went wrong in the way at hand orders above
namespace escapement::inline math::suspect {

constexpr double penetration = 1e-6;           // schemes that hold positions: rounding, or contacts that contradict
constexpr double penetration_velocity = 1e-2;  // velocity-level schemes sink in by their nature
constexpr double between_fixed = 1e-2;         // samples between fixed steps are interpolated
constexpr double energy = 1e-3, energy_fixed = 2e-2;
constexpr double drift = 1e-6;     // of the levels that the scheme keeps
constexpr double contact = 1e-2;   // pull, friction outside its cone, friction along the slip
constexpr double unsolved = 1e-2;  // share of steps
// of a fixed step, over what resolves the model's expressions, for each degree above one that its scheme follows: a step of
// order two sees a pulse of its own half, one of order five a narrower one
constexpr double length = 2;

}  // namespace escapement::suspect
