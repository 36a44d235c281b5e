// Plots of a result as pictures: curves over time with axes, ticks and a legend.
#pragma once

#include <string>
#include <vector>

#include "io/canvas.hpp"
#include "run/result.hpp"

namespace escapement::inline io {

struct Plot {
  struct Curve {
    std::string name;
    Column x, y;
  };
  std::string name;  // of the file: letters and dashes
  std::string title;
  std::string unit;  // empty: that of the SI
  bool log = false;  // the y axis; values <= 0 are left out
  std::vector<Curve> curves;
  std::vector<double> marks;  // times with an impact
};

void draw(const Plot&, Canvas&, int width, int height);

// outputs, coordinates, velocities, gaps, contact forces, energy, drift, steps: those the run has, one plot for each unit
std::vector<Plot> plots_of(const Result&);

// NAME-coordinates.svg and so on; returns the files written; throws WriteError
std::vector<std::string> write_plots(const Result&, const std::string& name);

}  // namespace escapement
