#include "simulate/observer.hpp"

namespace escapement::inline simulate {

const char* name_of(Event::Kind kind) {
  switch (kind) {
    case Event::Kind::impact:
      return "impact";
    case Event::Kind::close:
      return "close";
    case Event::Kind::open:
      return "open";
    case Event::Kind::stick:
      return "stick";
    case Event::Kind::slide:
      return "slide";
    case Event::Kind::zeno:
      return "zeno";
    case Event::Kind::feature:
      return "feature";
    case Event::Kind::scheme:
      return "scheme";
  }
  return "";
}

}  // namespace escapement
