// What the functions of expressions come to over many arguments, one line each: lines that differ between two processors, or between
// what the C library chooses for them, name the functions whose last bits differ.
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>

namespace {

template <class Function>
void sum(const char* name, Function f, double low, double high) {
  std::mt19937_64 bits(7);
  std::uint64_t h = 0xcbf29ce484222325;
  for (int i = 0; i < 300000; ++i) {
    const double x = low + (high - low) * static_cast<double>(bits() >> 11) * 0x1p-53;
    h = (h ^ std::bit_cast<std::uint64_t>(static_cast<double>(f(x)))) * 0x100000001b3;
  }
  std::printf("%s %016llx\n", name, static_cast<unsigned long long>(h));
}

}  // namespace

int main() {
  sum("sin", [](double x) { return std::sin(x); }, -50, 50);
  sum("cos", [](double x) { return std::cos(x); }, -50, 50);
  sum("tan", [](double x) { return std::tan(x); }, -50, 50);
  sum("asin", [](double x) { return std::asin(x); }, -1, 1);
  sum("acos", [](double x) { return std::acos(x); }, -1, 1);
  sum("atan", [](double x) { return std::atan(x); }, -50, 50);
  sum("atan2", [](double x) { return std::atan2(x, 3.1); }, -50, 50);
  sum("sinh", [](double x) { return std::sinh(x); }, -20, 20);
  sum("cosh", [](double x) { return std::cosh(x); }, -20, 20);
  sum("tanh", [](double x) { return std::tanh(x); }, -5, 5);
  sum("exp", [](double x) { return std::exp(x); }, -50, 50);
  sum("log", [](double x) { return std::log(x); }, 1e-9, 50);
  sum("log10", [](double x) { return std::log10(x); }, 1e-9, 50);
  sum("pow", [](double x) { return std::pow(x, 1.7); }, 1e-9, 50);
  sum("sqrt", [](double x) { return std::sqrt(x); }, 0, 50);
  sum("cbrt", [](double x) { return std::cbrt(x); }, -50, 50);
  sum("hypot", [](double x) { return std::hypot(x, 3.3); }, -50, 50);
  sum("fmod", [](double x) { return std::fmod(x, 0.7); }, -50, 50);
}
