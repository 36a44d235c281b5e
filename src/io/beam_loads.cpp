// The loads along the beams of a mechanism.
#include <array>

#include "io/beam_reading.hpp"
#include "io/mechanism_reading.hpp"
#include "model/expression_force.hpp"

namespace escapement::inline io {

namespace {

// a load along a beam, as forces on its nodes
template <int D>
class LoadReader {
 public:
  LoadReader(MechanismReading<D>& r, const ReadBeam<D>& beam, const YamlNode::Entry& entry)
      : r_(r), reading_(r.reading), beam_(beam), block_(r.reading, entry, "mechanism.beams.*.loads.*") {
    const auto *force = block_.find("force"), *torque = block_.find("torque");
    if (!force && !torque)
      reading_.fail(
          entry.value->offset,
          fmt::format("a load of beam {} has a 'force' or a 'torque', per length; add one", quote(beam.name)));
    if (force) components(*force, D, "force");
    if (torque) components(*torque, angular<D>, "torque");
    const double from = block_.number("from", 0), to = block_.number("to", 1);
    if (!(from < to))
      reading_.fail(entry.value->offset,
                    fmt::format("a load from {:g} to {:g} has no length; 'from' lies below 'to'", from, to));
    const bool in_body = block_.word("frame").value_or("world") == "body";
    for (int k = 0; k <= static_cast<int>(beam.elements.size()); ++k) {
      const double share = beam.share(k, from * beam.length(), to * beam.length());
      if (share == 0) continue;
      Action<D> action;
      action.body = beam.first + k;
      action.in_body = in_body;
      if (force) fill(*force, action.force, share, k);
      if (torque) fill(*torque, action.torque, share, k);
      r.mechanism->add(make_expression_force<D>(reading_.graph, r.vocabulary, {action}));
    }
  }

 private:
  void components(const YamlNode::Entry& entry, std::size_t count, const char* what) {
    const YamlNode& node = *entry.value;
    if (count == 1 ? node.is_sequence() : !node.is_sequence() || node.entries.size() != count)
      reading_.fail(node.is_null() ? entry.key_offset : node.offset,
                    fmt::format("'{}' of a load takes {}", what,
                                count == 1 ? "one expression" : fmt::format("a list of {} expressions", count)));
  }

  template <std::size_t N>
  void fill(const YamlNode::Entry& entry, std::array<Expr, N>& to, double share, int node) {
    for (std::size_t i = 0; i < N; ++i) {
      const YamlNode::Entry& one = entry.value->is_sequence() ? entry.value->entries[i] : entry;
      to[i] = reading_.graph.mul(reading_.graph.constant(share), value(one, node));
    }
  }

  // the length from the start is `s`, unless the model has something else of this name
  Expr value(const YamlNode::Entry& entry, int node) {
    if (names_.empty()) {
      names_.push_back(reading_.states);
      own_ = !reading_.states.find("s") && !reading_.states.find_table("s");
    }
    if (own_) names_[0].add("s", reading_.graph.constant(beam_.stations[static_cast<std::size_t>(node)]));
    return reading_.expression(entry, names_[0]);
  }

  MechanismReading<D>& r_;
  Reading& reading_;
  const ReadBeam<D>& beam_;
  Block block_;
  std::vector<Symbols> names_;
  bool own_ = true;  // `s` is the length
};
}  // namespace

template <int D>
void read_loads(MechanismReading<D>& r) {
  std::size_t k = 0;
  for (const auto& entry : r.top.named("beams")) {
    const ReadBeam<D>& beam = *r.beams[k++];
    const YamlNode::Entry* loads = entry.value->find("loads");
    if (!loads || loads->value->is_null()) continue;
    if (!loads->value->is_sequence())
      r.reading.fail(*loads->value,
                     fmt::format("'loads' is a list, like [{{force: {}}}]", D == 2 ? "[0, -1]" : "[0, 0, -1]"));
    for (const auto& load : loads->value->entries) LoadReader<D>(r, beam, load);
    r.force_places.resize(static_cast<std::size_t>(r.mechanism->force_count()), entry.key_offset);
  }
}

template void read_loads<2>(MechanismReading<2>&);
template void read_loads<3>(MechanismReading<3>&);

}  // namespace escapement
