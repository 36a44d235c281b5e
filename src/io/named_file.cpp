#include "io/named_file.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "io/readable.hpp"

namespace escapement::inline io {

namespace {

bool lies_beside(const std::filesystem::path& path, const std::string& model) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::weakly_canonical(fs::absolute(model).parent_path());
  const fs::path inside = fs::weakly_canonical(fs::absolute(path)).lexically_relative(folder);
  return !inside.empty() && *inside.begin() != "..";
}

}  // namespace

std::string read_named_file(Reading& reading, const YamlNode::Entry& file, const char* whose) {
  const std::string& name = file.value->text;
  const auto path = std::filesystem::path(reading.source.file()).parent_path() / name;
  if (reading.within_folder && !lies_beside(path, reading.source.file()))
    reading.fail(*file.value, "this file lies outside the model's folder, where nothing is read from here; copy it beside the model");
  if (std::ranges::find(reading.named_files, name) == reading.named_files.end()) reading.named_files.push_back(name);
  const auto given = std::ranges::find(reading.files, name, &std::pair<std::string, std::string>::first);
  if (given != reading.files.end()) return given->second;
  if (const std::string why = why_unreadable(path); !why.empty())
    reading.fail(*file.value, fmt::format("the {}'s file {} cannot be read, {}; it is looked for beside the model file", whose, quote(path.filename().string()), why));
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace escapement
