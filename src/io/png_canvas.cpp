#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>

#include "io/canvas.hpp"
#include "io/glyphs.hpp"
#include "io/report.hpp"

namespace escapement {

namespace {

const Glyph& glyph_of(unsigned char c) { return glyphs[c >= 32 && c < 127 ? c - 32 : '?' - 32]; }

// a byte that begins a character of UTF-8
bool begins(char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }

class PngCanvas : public Canvas {
 public:
  PngCanvas(int width, int height)
      : width_(width),
        height_(height),
        pixels_(static_cast<std::size_t>(3 * width * height), 255),
        cover_(static_cast<std::size_t>(width * height), 0) {}

  // a pixel is covered by how near its middle is to the line; the parts of one line do not cover twice
  void line(const std::vector<PlotPoint>& points, Color color, double width) override {
    const double reach = width / 2 + 0.5;
    int top = height_, bottom = -1, left = width_, right = -1;
    for (std::size_t k = 0; k + 1 < points.size(); ++k) {
      const PlotPoint a = points[k], b = points[k + 1];
      const int x0 = clamp(std::min(a.x, b.x) - reach, width_), x1 = clamp(std::max(a.x, b.x) + reach, width_);
      const int y0 = clamp(std::min(a.y, b.y) - reach, height_), y1 = clamp(std::max(a.y, b.y) + reach, height_);
      const double dx = b.x - a.x, dy = b.y - a.y, length2 = dx * dx + dy * dy;
      for (int y = y0; y <= y1; ++y)
        for (int x = x0; x <= x1; ++x) {
          const double px = x + 0.5 - a.x, py = y + 0.5 - a.y;
          const double s = length2 > 0 ? std::clamp((px * dx + py * dy) / length2, 0.0, 1.0) : 0;
          const double covered = std::clamp(reach - std::hypot(px - s * dx, py - s * dy), 0.0, 1.0);
          auto& here = cover_[static_cast<std::size_t>(y * width_ + x)];
          here = std::max(here, static_cast<unsigned char>(255 * covered));
        }
      left = std::min(left, x0), right = std::max(right, x1), top = std::min(top, y0), bottom = std::max(bottom, y1);
    }
    for (int y = top; y <= bottom; ++y)
      for (int x = left; x <= right; ++x) {
        auto& here = cover_[static_cast<std::size_t>(y * width_ + x)];
        blend(x, y, color, here / 255.0);
        here = 0;
      }
  }

  void text(double x, double y, const std::string& words, Color color, Anchor anchor) override {
    double length = 0;
    for (const char c : words)
      if (begins(c)) length += glyph_of(static_cast<unsigned char>(c)).advance;
    double pen = x - (anchor == Anchor::middle ? length / 2 : anchor == Anchor::end ? length : 0);
    for (const char c : words) {
      if (!begins(c)) continue;
      const Glyph& g = glyph_of(static_cast<unsigned char>(c));
      const int left = static_cast<int>(std::lround(pen)) + g.left, top = static_cast<int>(std::lround(y)) + g.top;
      for (int j = 0; j < g.height; ++j)
        for (int i = 0; i < g.width; ++i) {
          const char digit = g.coverage[j * g.width + i];
          blend(left + i, top + j, color, (digit <= '9' ? digit - '0' : digit - 'a' + 10) / 15.0);
        }
      pen += g.advance;
    }
  }

  void write(const std::filesystem::path& path) const override {
    // rows of pixels, each after the byte that says "as they are"
    std::string raw;
    for (int y = 0; y < height_; ++y) {
      raw += '\0';
      raw.append(reinterpret_cast<const char*>(&pixels_[static_cast<std::size_t>(3 * y * width_)]),
                 static_cast<std::size_t>(3 * width_));
    }
    uLongf size = compressBound(raw.size());
    std::string packed(size, '\0');
    compress2(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(raw.data()), raw.size(),
              9);
    packed.resize(size);
    std::ofstream out(path, std::ios::binary);
    out << "\x89PNG\r\n\x1a\n";
    chunk(out, "IHDR",
          big_endian(static_cast<std::uint32_t>(width_)) + big_endian(static_cast<std::uint32_t>(height_)) +
              std::string("\x08\x02\0\0\0", 5));
    chunk(out, "IDAT", packed);
    chunk(out, "IEND", "");
    if (!out.flush()) throw ReportError("cannot write " + path.string());
  }

 private:
  static int clamp(double x, int size) { return std::clamp(static_cast<int>(std::floor(x)), 0, size - 1); }
  static std::string big_endian(std::uint32_t x) {
    return {static_cast<char>(x >> 24), static_cast<char>(x >> 16), static_cast<char>(x >> 8), static_cast<char>(x)};
  }
  static void chunk(std::ofstream& out, const char* kind, const std::string& data) {
    const std::string body = kind + data;
    out << big_endian(static_cast<std::uint32_t>(data.size())) << body
        << big_endian(static_cast<std::uint32_t>(
               crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()))));
  }
  void blend(int x, int y, Color color, double part) {
    if (x < 0 || y < 0 || x >= width_ || y >= height_ || part <= 0) return;
    for (int k = 0; k < 3; ++k) {
      auto& p = pixels_[static_cast<std::size_t>(3 * (y * width_ + x) + k)];
      p = static_cast<unsigned char>(std::lround(p + part * (color[static_cast<std::size_t>(k)] - p)));
    }
  }

  int width_, height_;
  std::vector<unsigned char> pixels_;  // 3 x width x height
  std::vector<unsigned char> cover_;   // of the line being drawn
};

}  // namespace

std::unique_ptr<Canvas> make_png_canvas(int width, int height) { return std::make_unique<PngCanvas>(width, height); }

}  // namespace escapement
