// What a plot is drawn on: an SVG text. Lengths in pixels, y downwards.
#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace escapement::inline io {

struct PlotPoint {
  double x, y;
};
using Color = std::array<unsigned char, 3>;

class Canvas {
 public:
  enum class Anchor { start, middle, end };

  virtual ~Canvas() = default;
  virtual void line(const std::vector<PlotPoint>&, Color, double width) = 0;
  // y: the base line
  virtual void text(double x, double y, const std::string&, Color, Anchor) = 0;
  virtual void write(const std::filesystem::path&) const = 0;  // throws WriteError
};

std::unique_ptr<Canvas> make_svg_canvas(int width, int height);

}  // namespace escapement
