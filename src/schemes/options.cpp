#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "schemes/scheme.hpp"

namespace escapement::inline schemes {

namespace {

std::string list_of(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, ", ")); }

void check_number(const OptionInfo& info, double x) {
  if (!std::isfinite(x)) throw OptionError(info.name, fmt::format("option '{}' must be a finite number", info.name));
  if (info.min < info.max && !(x >= info.min && x <= info.max))
    throw OptionError(info.name, fmt::format("option '{}' is {:g} but must lie between {:g} and {:g}", info.name, x,
                                             info.min, info.max));
  if (info.integer && x != std::floor(x))
    throw OptionError(info.name, fmt::format("option '{}' is {:g} but must be a whole number", info.name, x));
}

void check(const OptionInfo& info, const OptionValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) {
    if (info.choices.empty()) throw OptionError(info.name, fmt::format("option '{}' must be a number", info.name));
    if (std::find(info.choices.begin(), info.choices.end(), *text) == info.choices.end())
      throw OptionError(info.name, fmt::format("option '{}' cannot be '{:.40}'; choose one of: {}", info.name, *text,
                                               list_of(info.choices)));
    return;
  }
  if (const auto* list = std::get_if<std::vector<double>>(&value)) {
    const bool takes_list = std::find(info.choices.begin(), info.choices.end(), "list") != info.choices.end();
    if (!takes_list && !std::holds_alternative<std::vector<double>>(info.value))
      throw OptionError(info.name, fmt::format("option '{}' does not take a list", info.name));
    for (double x : *list)
      if (!std::isfinite(x)) throw OptionError(info.name, fmt::format("option '{}' has a non-finite entry", info.name));
    return;
  }
  if (!std::holds_alternative<double>(info.value))
    throw OptionError(info.name,
                      fmt::format("option '{}' takes a word; choose one of: {}", info.name, list_of(info.choices)));
  check_number(info, std::get<double>(value));
}

}  // namespace

Options::Options(const SchemeInfo& info, const std::map<std::string, OptionValue>& given) {
  for (const OptionInfo& option : info.options) values_[option.name] = option.value;
  for (const auto& [name, value] : given) {
    const auto it = std::find_if(info.options.begin(), info.options.end(),
                                 [&, &key = name](const OptionInfo& o) { return o.name == key; });
    if (it == info.options.end()) {
      std::vector<std::string> known;
      for (const OptionInfo& o : info.options)
        if (std::find(known.begin(), known.end(), o.name) == known.end()) known.push_back(o.name);  // the run's own may have the scheme's names
      throw OptionError(name, fmt::format("scheme '{}' has no option '{:.40}'; it takes: {}", info.id, name,
                                          known.empty() ? "none" : list_of(known)));
    }
    check(*it, value);
    values_[name] = value;
    given_.push_back(name);
  }
}

const OptionValue& Options::get(std::string_view name) const {
  const auto it = values_.find(name);
  if (it == values_.end()) throw OptionError(std::string(name), fmt::format("there is no option '{}'", name));
  return it->second;
}

double Options::number(std::string_view name) const { return std::get<double>(get(name)); }
const std::string& Options::text(std::string_view name) const { return std::get<std::string>(get(name)); }
const std::vector<double>& Options::list(std::string_view name) const {
  return std::get<std::vector<double>>(get(name));
}
bool Options::is_list(std::string_view name) const { return std::holds_alternative<std::vector<double>>(get(name)); }
bool Options::given(std::string_view name) const {
  return std::find(given_.begin(), given_.end(), name) != given_.end();
}

}  // namespace escapement
