#include "run/result.hpp"

#include <algorithm>

namespace escapement::inline run {

void ContactPointColumns::resize(std::size_t rows) {
  for (auto* column : {&sample, &id}) column->resize(rows);
  for (auto* column : {&contact, &a, &b}) column->resize(rows);
  gap.resize(rows);
  for (auto* column : {&point, &normal, &force}) column->resize(rows * static_cast<std::size_t>(dimension));
}

void ContactPointColumns::move_row(std::size_t from, std::size_t to) {
  const auto move = [&](auto& column, std::size_t width) {
    for (std::size_t k = 0; k < width; ++k) column[to * width + k] = column[from * width + k];
  };
  for (auto* column : {&sample, &id}) move(*column, 1);
  for (auto* column : {&contact, &a, &b}) move(*column, 1);
  move(gap, 1);
  for (auto* column : {&point, &normal, &force}) move(*column, static_cast<std::size_t>(dimension));
}

void ContactPointColumns::cut(std::size_t samples) {
  resize(static_cast<std::size_t>(std::lower_bound(sample.begin(), sample.end(), samples) - sample.begin()));
}

void ContactPointColumns::thin() {
  stride *= 2;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < rows(); ++i)
    if (sample[i] % static_cast<std::uint64_t>(stride) == 0) move_row(i, kept++);
  resize(kept);
}

void Result::cut(std::size_t samples) {
  const std::size_t kept = samples - std::min(samples, first);
  first = std::min(samples, first);
  time.resize(std::min(kept, time.size()));
  for_each_table(*this, [&](const char*, DataTable& table) { table.resize(time.size()); });
  points.cut(samples);
}

void Result::drop(std::size_t samples) {
  time.erase(time.begin(), time.begin() + static_cast<std::ptrdiff_t>(samples));
  for_each_table(*this, [&](const char*, DataTable& table) { table.drop(samples); });
  first += samples;
}

std::vector<std::vector<std::size_t>> slip_columns(const ContactTables& tables) {
  const std::vector<std::string>&contacts = tables.gap.names(), &directions = tables.slip.names();
  std::vector<std::vector<std::size_t>> columns(contacts.size());
  // both in the order of the contacts
  std::size_t k = 0;
  for (std::size_t i = 0; i < contacts.size() && k < directions.size(); ++i) {
    if (directions[k] == contacts[i]) {
      columns[i].push_back(k++);
    } else if (directions[k] == contacts[i] + ".1" && k + 1 < directions.size() && directions[k + 1] == contacts[i] + ".2") {
      columns[i] = {k, k + 1};
      k += 2;
    }
  }
  return columns;
}

std::vector<std::pair<std::string, Column>> named_columns(const Result& r) {
  std::vector<std::pair<std::string, Column>> list{{"time", r.time}};
  const auto add = [&](const std::string& prefix, const DataTable& table) {
    for (std::size_t k = 0; k < table.columns(); ++k) list.emplace_back(prefix + table.names()[k], table[k]);
  };
  add("", r.q);
  add("rate.", r.v);
  add("states.", r.states);
  add("lambda.", r.lambda);
  const std::vector<std::vector<std::size_t>> slips = slip_columns(r.contacts);
  for (std::size_t i = 0; i < slips.size(); ++i) {
    const std::string contact = "contacts." + r.contacts.gap.names()[i];
    list.emplace_back(contact + ".gap", r.contacts.gap[i]);
    list.emplace_back(contact + ".gap_rate", r.contacts.gap_rate[i]);
    list.emplace_back(contact + ".force", r.contacts.force[i]);
    for (const std::size_t k : slips[i]) {
      const std::string direction = "contacts." + r.contacts.slip.names()[k];
      list.emplace_back(direction + ".friction", r.contacts.friction[k]);
      list.emplace_back(direction + ".slip", r.contacts.slip[k]);
    }
  }
  for (std::size_t k = 0; k < r.brakes.columns(); ++k) list.emplace_back("brakes." + r.brakes.names()[k] + ".force", r.brakes[k]);
  add("energy.", r.energy);
  add("drift.", r.drift);
  add("outputs.", r.outputs);
  return list;
}

}  // namespace escapement
