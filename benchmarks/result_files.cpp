// Writes and reads a result of 18,000 columns and 11 samples: as runs do, or as a bare program of the HDF5 library does with the
// same arrays and names.  result_files (run|bare) FILE TIMES
#include <hdf5.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "io/result_file.hpp"

using namespace escapement;

namespace {

Result chain(std::size_t links, std::size_t samples) {
  Result r;
  std::vector<std::string> q, v, lambda;
  for (std::size_t i = 1; i <= links; ++i) {
    const std::string link = "link" + std::to_string(i), pin = "pin" + std::to_string(i);
    for (const char* part : {".x", ".y", ".z", ".qw", ".qx", ".qy", ".qz"}) q.push_back(link + part);
    for (const char* part : {".vx", ".vy", ".vz", ".wx", ".wy", ".wz"}) v.push_back(link + part);
    for (const char* part : {".1", ".2", ".3", ".4", ".5"}) lambda.push_back(pin + part);
  }
  r.q = DataTable(q);
  r.v = DataTable(v);
  r.lambda = DataTable(lambda);
  for (std::size_t i = 0; i < samples; ++i) {
    r.time.push_back(1e-3 * static_cast<double>(i));
    for_each_table(r, [&](const char*, DataTable& table) {
      double* row = table.add_row();
      for (std::size_t k = 0; k < table.columns(); ++k) row[k] = std::sin(static_cast<double>(i + k));
    });
  }
  r.origin.scheme = "hem5";
  return r;
}

void need(long long status) {
  if (status >= 0) return;
  std::fprintf(stderr, "the library refuses\n");
  std::exit(1);
}

void bare_write(const Result& r, const char* path) {
  const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  need(file);
  for (const char* name : {"contacts", "brakes", "columns", "columns/contacts", "columns/brakes"}) {
    const hid_t group = H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Gclose(group);
  }
  const hsize_t rows = r.time.size();
  const hid_t line = H5Screate_simple(1, &rows, nullptr), time = H5Dcreate2(file, "time", H5T_IEEE_F64LE, line, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  need(H5Dwrite(time, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, r.time.data()));
  H5Dclose(time);
  H5Sclose(line);
  for_each_table(r, [&](const std::string& path_of, const DataTable& table) {
    const hsize_t size[2] = {table.rows(), table.columns()};
    const hid_t space = H5Screate_simple(2, size, nullptr), set = H5Dcreate2(file, path_of.c_str(), H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (!table.empty()) need(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, table.values().data()));
    H5Dclose(set);
    H5Sclose(space);
    std::size_t width = 1;
    for (const std::string& name : table.names()) width = std::max(width, name.size());
    std::string names(width * table.columns(), '\0');
    for (std::size_t k = 0; k < table.columns(); ++k) std::memcpy(names.data() + k * width, table.names()[k].data(), table.names()[k].size());
    const hid_t type = H5Tcopy(H5T_C_S1), list = H5Screate_simple(1, size + 1, nullptr);
    H5Tset_size(type, width);
    const hid_t texts = H5Dcreate2(file, ("columns/" + path_of).c_str(), type, list, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (!table.empty()) need(H5Dwrite(texts, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, names.data()));
    H5Dclose(texts);
    H5Sclose(list);
    H5Tclose(type);
  });
  need(H5Fclose(file));
}

struct BareTable {
  std::vector<std::string> names;
  std::vector<double> values;
};

std::vector<BareTable> bare_read(const char* path) {
  std::vector<BareTable> tables;
  const Result layout;
  const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT), time = H5Dopen2(file, "time", H5P_DEFAULT), line = H5Dget_space(time);
  need(time);
  std::vector<double> times(static_cast<std::size_t>(H5Sget_simple_extent_npoints(line)));
  need(H5Dread(time, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, times.data()));
  H5Sclose(line);
  H5Dclose(time);
  for_each_table(layout, [&](const std::string& path_of, const DataTable&) {
    const hid_t texts = H5Dopen2(file, ("columns/" + path_of).c_str(), H5P_DEFAULT), type = H5Dget_type(texts), list = H5Dget_space(texts);
    const std::size_t width = H5Tget_size(type), columns = static_cast<std::size_t>(H5Sget_simple_extent_npoints(list));
    std::string names(width * columns, '\0');
    if (columns > 0) need(H5Dread(texts, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, names.data()));
    std::vector<std::string> split;
    split.reserve(columns);
    for (std::size_t k = 0; k < columns; ++k) split.emplace_back(names.data() + k * width, strnlen(names.data() + k * width, width));
    H5Sclose(list);
    H5Tclose(type);
    H5Dclose(texts);
    std::vector<double> values(times.size() * columns);
    const hid_t set = H5Dopen2(file, path_of.c_str(), H5P_DEFAULT);
    if (columns > 0) need(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()));
    H5Dclose(set);
    tables.push_back({std::move(split), std::move(values)});
  });
  tables.push_back({{}, std::move(times)});
  H5Fclose(file);
  return tables;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const bool bare = std::strcmp(argv[1], "bare") == 0;
  const Result result = chain(1000, 11);
  double sum = 0;
  for (int i = std::atoi(argv[3]); i > 0; --i) {
    if (bare) {
      bare_write(result, argv[2]);
      const std::vector<BareTable> read = bare_read(argv[2]);
      sum += read[3].values.back() == result.lambda(10, 4999) && read[0].names.back() == result.q.names().back();
    } else {
      write_result(result, argv[2]);
      const Result read = read_result(argv[2]);
      sum += read.lambda(10, 4999) == result.lambda(10, 4999) && read.q.names().back() == result.q.names().back();
    }
  }
  std::printf("%g\n", sum);
  return sum == std::atoi(argv[3]) ? 0 : 1;
}
