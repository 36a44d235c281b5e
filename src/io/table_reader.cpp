#include "io/table_reader.hpp"

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "io/csv_columns.hpp"
#include "io/named_file.hpp"

namespace escapement::inline io {

namespace {

std::vector<double> read_list(Reading& reading, const YamlNode::Entry& entry) {
  if (!entry.value->is_sequence())
    reading.fail(*entry.value, fmt::format("'{}' must be a list of numbers, or give the table a 'file'", entry.key));
  std::vector<double> values;
  for (const auto& item : entry.value->entries) values.push_back(reading.constant(item));
  return values;
}

std::vector<std::vector<double>> read_file(Reading& reading, const Block& block) {
  const std::string file = *block.text("file");
  std::vector<std::string> columns;
  for (const char* axis : {"x", "y"}) {
    block.require(axis);
    columns.push_back(*block.text(axis));
  }
  std::istringstream text(read_named_file(reading, *block.find("file"), "table"));
  try {
    return read_csv_columns(text, quote(std::filesystem::path(file).filename().string()), columns);
  } catch (const CsvError& e) {
    reading.fail(*block.find("file")->value, e.what());
  }
}

}  // namespace

std::vector<UsedName> names_in_table(const Reading& reading, const YamlNode::Entry& entry) {
  std::vector<UsedName> used;
  if (!entry.value->is_map() || entry.value->find("file")) return used;
  for (const char* axis : {"x", "y"}) {
    const YamlNode::Entry* list = entry.value->find(axis);
    if (!list || !list->value->is_sequence()) continue;
    for (const auto& item : list->value->entries) {
      if (!item.value->is_scalar()) continue;
      try {
        for (UsedName& name : names_in_expression(item.value->text))
          used.push_back({std::move(name.name), reading.tree.offset_in(*item.value, name.offset)});
      } catch (const ExpressionError& e) {
        reading.fail(reading.tree.offset_in(*item.value, e.offset), e.what());
      }
    }
  }
  return used;
}

std::shared_ptr<const Table> read_table(Reading& reading, const YamlNode::Entry& entry) {
  const Block block(reading, entry, "model.tables.*");
  const auto interpolation =
      block.word("interpolation") == "linear" ? Table::Interpolation::linear : Table::Interpolation::cubic;
  const Table::Ends ends = block.word("ends") == "periodic" ? Table::Ends::periodic : Table::Ends::natural;
  std::vector<std::vector<double>> points;
  if (block.find("file"))
    points = read_file(reading, block);
  else
    points = {read_list(reading, block.require("x")), read_list(reading, block.require("y"))};
  if (points[0].size() != points[1].size())
    reading.fail(entry.key_offset, fmt::format("the table has {} values of x but {} of y; give as many of both",
                                               points[0].size(), points[1].size()));
  try {
    return std::make_shared<const Table>(std::move(points[0]), std::move(points[1]), ends, interpolation);
  } catch (const std::invalid_argument& e) {
    reading.fail(entry.key_offset, fmt::format("the table {} cannot be used: {}", quote(entry.key), e.what()));
  }
}

}  // namespace escapement
