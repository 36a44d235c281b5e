#include <fmt/format.h>

#include "io/canvas.hpp"
#include "io/whole_file.hpp"

namespace escapement::inline io {

namespace {

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

class SvgCanvas : public Canvas {
 public:
  SvgCanvas(int width, int height)
      : text_(fmt::format(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
            "font-family=\"DejaVu Sans, Verdana, sans-serif\" font-size=\"16\">\n<rect width=\"100%\" height=\"100%\" "
            "fill=\"#fff\"/>\n",
            width, height)) {}

  void line(const std::vector<PlotPoint>& points, Color c, double width) override {
    if (points.size() < 2) return;
    text_ += fmt::format(
        "<polyline fill=\"none\" stroke=\"#{:02x}{:02x}{:02x}\" stroke-width=\"{:g}\" stroke-linejoin=\"round\" points=\"",
        c[0], c[1], c[2], width);
    for (const PlotPoint& p : points) text_ += fmt::format("{:.1f},{:.1f} ", p.x, p.y);
    text_ += "\"/>\n";
  }

  void text(double x, double y, const std::string& words, Color c, Anchor anchor) override {
    constexpr const char* anchors[] = {"start", "middle", "end"};
    text_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" fill=\"#{:02x}{:02x}{:02x}\">{}</text>\n", x, y,
                         anchors[static_cast<int>(anchor)], c[0], c[1], c[2], escaped(words));
  }

  void write(const std::filesystem::path& path) const override {
    write_text(path, text_ + "</svg>\n");
  }

 private:
  std::string text_;
};

}  // namespace

std::unique_ptr<Canvas> make_svg_canvas(int width, int height) { return std::make_unique<SvgCanvas>(width, height); }

}  // namespace escapement
