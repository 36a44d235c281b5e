#include <gtest/gtest.h>

#include <regex>

#include "io/model_file.hpp"
#include "support/malformed_models.hpp"

namespace escapement::malformed_model_test {
namespace {

using testing::good_model;
using testing::Malformed;
using testing::malformed_models;

TEST(MalformedModel, TheGoodOneIsGood) { EXPECT_NO_THROW(read_model("m.yaml", good_model())); }

class MalformedModels : public ::testing::TestWithParam<Malformed> {};

TEST_P(MalformedModels, SaysWhereAndWhat) {
  const Malformed& bad = GetParam();
  try {
    read_model("m.yaml", bad.text);
    FAIL() << "was accepted";
  } catch (const ModelError& e) {
    const std::string what = e.what();
    if (std::getenv("SHOW_MESSAGES")) std::printf("%-40s %s\n", bad.name.c_str(), what.c_str());
    const std::string start = "m.yaml:" + bad.place + (bad.place.back() == ':' ? "" : ": ");
    EXPECT_EQ(what.substr(0, start.size()), start) << what;
    for (const std::string& phrase : bad.phrases)
      EXPECT_NE(what.find(phrase), std::string::npos) << "'" << phrase << "' in: " << what;
    EXPECT_TRUE(std::regex_search(what, std::regex("^m\\.yaml:[0-9]+:[0-9]+: ."))) << what;
    EXPECT_EQ(what.find('\n'), std::string::npos) << what;
    EXPECT_LT(what.size(), 400u) << what;
  }
}

INSTANTIATE_TEST_SUITE_P(All, MalformedModels, ::testing::ValuesIn(malformed_models()), [](const auto& bad) {
  std::string name;
  for (char c : bad.param.name) name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
});

}  // namespace
}  // namespace escapement
