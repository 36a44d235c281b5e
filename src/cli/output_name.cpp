#include "cli/output_name.hpp"

namespace escapement::cli {

CLI::Option* add_output_name(CLI::App& command, std::string& name, const std::string& description) {
  return command.add_option("-o,--output", name, description)
      ->type_name("NAME")
      ->transform([](const std::string& given) {
        for (const std::string_view extension : {".h5", ".html", ".csv"})
          if (given.size() > extension.size() && given.ends_with(extension))
            return given.substr(0, given.size() - extension.size());
        return given;
      });
}

}  // namespace escapement::cli
