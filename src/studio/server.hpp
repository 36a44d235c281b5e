// The live page: serves a model's text and its motion to a browser on this machine, and to nobody else.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

namespace escapement::inline studio {

struct StudioSettings {
  std::filesystem::path file;  // of the model; written when the page saves
  std::string text;            // shown first
  int port = 0;                // 0: any that is free
};

class StudioServer {
 public:
  explicit StudioServer(StudioSettings);  // throws std::runtime_error where the port is taken
  ~StudioServer();
  StudioServer(const StudioServer&) = delete;
  StudioServer& operator=(const StudioServer&) = delete;

  std::string address() const;  // with the token that every request needs
  void serve();                 // until stop()
  void stop();                  // from another thread, or a signal's; a run is cancelled

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace escapement
