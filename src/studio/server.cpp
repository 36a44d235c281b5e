#include "studio/server.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "io/schema.hpp"
#include "io/whole_file.hpp"
#include "schemes/scheme.hpp"
#include "studio/live_run.hpp"
#include "studio/page.hpp"

#include <httplib.h>  // last: a system header that it brings defines _res, which Eigen uses as a name

namespace escapement::inline studio {

namespace {

using Json = nlohmann::ordered_json;
using httplib::Request;
using httplib::Response;

constexpr const char* host = "127.0.0.1";
constexpr std::size_t longest_request = std::size_t{16} << 20;

// 128 bits of the system's own randomness
std::string make_token() {
  std::random_device random;
  std::string token;
  for (int i = 0; i < 4; ++i) token += fmt::format("{:08x}", static_cast<std::uint32_t>(random()));
  return token;
}

// takes as long for a wrong token as for the right one
bool equal(const std::string& a, const std::string& b) {
  if (a.size() != b.size()) return false;
  unsigned char different = 0;
  for (std::size_t i = 0; i < a.size(); ++i) different |= static_cast<unsigned char>(a[i] ^ b[i]);
  return different == 0;
}

// as it is: the library would compress texts first, which takes far longer than a way within this machine
void answer(Response& response, std::string text, const char* type) {
  const std::size_t size = text.size();
  response.set_content_provider(size, type, [text = std::move(text)](std::size_t from, std::size_t length, httplib::DataSink& sink) {
    return sink.write(text.data() + from, length);
  });
}

void answer(Response& response, const Json& json) {
  answer(response, json.dump(-1, ' ', false, Json::error_handler_t::replace), "application/json");
}

void refuse(Response& response, int status, const std::string& why) {
  response.status = status;
  response.set_content(why + "\n", "text/plain");
}

// what completion offers: the keys of the format, the schemes
Json words() {
  Json list = Json::array();
  for (const SchemeEntry& scheme : all_schemes())
    list.push_back({{"word", scheme.info.id}, {"kind", "scheme"}, {"help", scheme.info.description}});
  std::set<std::string_view> said;
  for (const KeyInfo& key : schema())
    if (key.built && key.key != "*" && said.insert(key.key).second)
      list.push_back({{"word", key.key}, {"kind", "key"}, {"help", key.doc}});
  return list;
}

Overrides overrides_of(const Json& request) {
  Overrides overrides;
  if (const auto set = request.find("set"); set != request.end() && set->is_object())
    for (const auto& [name, value] : set->items())
      if (value.is_number()) overrides.parameters.emplace_back(name, fmt::format("{:.17g}", value.get<double>()));
  return overrides;
}

}  // namespace

struct StudioServer::Parts {
  StudioSettings settings;
  std::string token = make_token();
  httplib::Server server;
  LiveRun live;
  int port = 0;

  explicit Parts(StudioSettings s) : settings(std::move(s)), live(settings.file) {
    server.set_payload_max_length(longest_request);
    server.set_pre_routing_handler([this](const Request& request, Response& response) {
      return admits(request, response) ? httplib::Server::HandlerResponse::Unhandled : httplib::Server::HandlerResponse::Handled;
    });
    server.Get("/", [](const Request&, Response& response) {
      answer(response, std::string(studio_page()), "text/html");
    });
    server.Get("/model", [this](const Request&, Response& response) {
      answer(response, {{"file", settings.file.filename().string()}, {"text", settings.text}, {"words", words()}});
    });
    server.Post("/run", [this](const Request& request, Response& response) {
      with_text(request, response, [&](const std::string& text, const Json& json) { answer(response, live.run(text, overrides_of(json)), "application/json"); });
    });
    server.Post("/cancel", [this](const Request&, Response& response) {
      live.cancel();
      answer(response, Json::object());
    });
    server.Put("/model", [this](const Request& request, Response& response) {
      with_text(request, response, [&](const std::string& text, const Json&) { save(text, response); });
    });
    port = settings.port > 0 ? (server.bind_to_port(host, settings.port) ? settings.port : -1) : server.bind_to_any_port(host);
    if (port <= 0) throw std::runtime_error(fmt::format("port {} of this machine is taken; leave out --port to take a free one", settings.port));
  }

  // this page of this machine alone: a name that was made to lead here, a page from elsewhere and a guess have no entry
  bool admits(const Request& request, Response& response) const {
    const std::string here = fmt::format("{}:{}", host, port), named = fmt::format("localhost:{}", port);
    const std::string asked = request.get_header_value("Host");
    if (asked != here && asked != named) return refuse(response, 403, "this address is served as " + here + " only"), false;
    if (request.has_header("Origin")) {
      const std::string origin = request.get_header_value("Origin");
      if (origin != "http://" + here && origin != "http://" + named) return refuse(response, 403, "pages from elsewhere are not answered"), false;
    }
    const std::string given = request.path == "/" ? request.get_param_value("token") : request.get_header_value("X-Escapement-Token");
    if (!equal(given, token)) return refuse(response, 403, "the token is missing or wrong; take the whole address that 'escapement studio' printed"), false;
    response.set_header("Cache-Control", "no-store");
    response.set_header("X-Content-Type-Options", "nosniff");
    response.set_header("Referrer-Policy", "no-referrer");
    return true;
  }

  template <class Action>
  static void with_text(const Request& request, Response& response, Action action) {
    const Json json = Json::parse(request.body, nullptr, false);
    if (!json.is_object() || !json.contains("text") || !json["text"].is_string()) return refuse(response, 400, "a request is a JSON object with 'text'");
    action(json["text"].get<std::string>(), json);
  }

  void save(const std::string& text, Response& response) {
    try {
      TextFile out(settings.file);
      out.write(text);
      out.close();
      settings.text = text;
      answer(response, {{"saved", settings.file.filename().string()}});
    } catch (const WriteError& e) {
      refuse(response, 500, e.what());
    }
  }
};

StudioServer::StudioServer(StudioSettings settings) : parts_(std::make_unique<Parts>(std::move(settings))) {}
StudioServer::~StudioServer() = default;

std::string StudioServer::address() const { return fmt::format("http://{}:{}/?token={}", host, parts_->port, parts_->token); }

void StudioServer::serve() { parts_->server.listen_after_bind(); }

void StudioServer::stop() {
  parts_->live.cancel();
  parts_->server.stop();
}

}  // namespace escapement
