#include "io/hdf5_writer.hpp"

#include <algorithm>
#include <bit>

namespace escapement {

namespace {

constexpr std::uint64_t undefined = ~std::uint64_t{0};
constexpr std::size_t superblock_size = 48;
constexpr std::size_t most_compact_links = 8;
constexpr std::size_t block_overhead = 21, least_largest_block = 65536,
                      largest_link = least_largest_block - block_overhead;
constexpr std::size_t smallest_node = 512, largest_node = 65536;       // of an index of links
constexpr std::size_t smallest_collection = 4096, most_texts = 60000;  // of a global heap

// IV.A.2.d: IEEE doubles, little-endian
Bytes double_type() {
  return Bytes().u8(0x11).u8(0x20).u8(63).u8(0).u32(8).u16(0).u16(64).u8(52).u8(11).u8(0).u8(52).u32(1023);
}

// texts of variable length, UTF-8, made of bytes
Bytes text_type() { return Bytes().u8(0x19).u8(1).u8(1).u8(0).u32(16).u8(0x10).u8(0).u8(0).u8(0).u32(1).u16(0).u16(8); }

// IV.A.2.b: one row of `count`
Bytes row_space(std::size_t count) { return Bytes().u8(2).u8(1).u8(0).u8(1).u64(count); }
Bytes scalar_space() { return Bytes().u8(2).u8(0).u8(0).u8(0); }

void add_message(Bytes& messages, int type, int flags, const Bytes& body) {
  messages.u8(type).u16(body.size()).u8(flags).add(body);
}

// IV.A.1.b: an object header of version 2
Bytes object_header(const Bytes& messages) {
  return Bytes().text("OHDR").u8(2).u8(2).u32(messages.size()).add(messages).checksum();
}

// IV.A.2.g: a hard link with its place in the order of creation
Bytes link_message(std::string_view name, std::uint64_t order, std::uint64_t address) {
  return Bytes().u8(1).u8(4 | 1).u64(order).u16(name.size()).text(name).u64(address);
}

std::size_t power_of_two_above(std::size_t size, std::size_t least) { return std::max(least, std::bit_ceil(size)); }

}  // namespace

Hdf5Writer::Hdf5Writer(const std::filesystem::path& path)
    : buffer_(std::size_t{1} << 20), file_(std::fopen(path.c_str(), "wb")) {
  good_ = file_ != nullptr;
  if (good_) std::setvbuf(file_.get(), buffer_.data(), _IOFBF, buffer_.size());
  write(Bytes().fill_to(superblock_size));
  groups_.push_back({});
  group_of_path_[""] = 0;
}

std::size_t Hdf5Writer::link(const std::string& path, Address address) {
  const std::size_t slash = path.rfind('/');
  const auto found = group_of_path_.find(path.substr(0, slash));
  good_ = good_ && found != group_of_path_.end();
  const std::size_t group = good_ ? found->second : 0;
  groups_[group].links.push_back({path.substr(slash + 1), address});
  return group;
}

void Hdf5Writer::group(const std::string& path) {
  const std::size_t parent = link(path, undefined);  // its address is known when its members are
  group_of_path_[path] = groups_.size();
  groups_.push_back({parent, groups_[parent].links.size() - 1, {}});
}

void Hdf5Writer::numbers(const std::string& path, std::span<const double> values) {
  const Address data = values.empty() ? undefined : write(values.data(), values.size_bytes());
  link(path, write_dataset(double_type(), values.size(), data, values.size_bytes()));
}

void Hdf5Writer::texts(const std::string& path, std::span<const std::string> values) {
  const Bytes references = write_texts(values);
  const Address data = values.empty() ? undefined : write(references);
  link(path, write_dataset(text_type(), values.size(), data, references.size()));
}

// IV.A.2.m
void Hdf5Writer::attribute(std::string_view name, const std::string& value) {
  const Bytes type = text_type(), space = scalar_space(), reference = write_texts(std::span(&value, 1));
  Bytes body;
  body.u8(3).u8(0).u16(name.size() + 1).u16(type.size()).u16(space.size()).u8(0);
  body.text(name).u8(0).add(type).add(space).add(reference);
  add_message(attributes_, 0x0C, 0, body);
}

bool Hdf5Writer::close() {
  // members before the groups that hold them
  Address root = 0;
  for (std::size_t i = groups_.size(); i-- > 0;) {
    Bytes more;
    if (i == 0 && attributes_.size() > 0) {
      add_message(more, 0x15, 0,
                  Bytes().u8(0).u8(0).u64(undefined).u64(undefined));  // IV.A.2.v: they are in the header
      more.add(attributes_);
    }
    root = write_group(groups_[i], more);
    if (i > 0) groups_[groups_[i].parent].links[groups_[i].place].address = root;
  }
  // II.A
  const Bytes superblock =
      Bytes().text("\x89HDF\r\n\x1a\n").u8(2).u8(8).u8(8).u8(0).u64(0).u64(undefined).u64(end_).u64(root).checksum();
  good_ = good_ && std::fseek(file_.get(), 0, SEEK_SET) == 0;
  good_ = good_ && std::fwrite(superblock.data().data(), 1, superblock.size(), file_.get()) == superblock.size();
  std::FILE* file = file_.release();
  return file && std::fclose(file) == 0 && good_;
}

Hdf5Writer::Address Hdf5Writer::write(const void* data, std::size_t size) {
  static constexpr char zeros[8] = {};
  const std::size_t gap = (8 - end_ % 8) % 8;
  good_ = good_ && std::fwrite(zeros, 1, gap, file_.get()) == gap && std::fwrite(data, 1, size, file_.get()) == size;
  const Address address = end_ + gap;
  end_ = address + size;
  return address;
}

Hdf5Writer::Address Hdf5Writer::write_dataset(const Bytes& type, std::size_t count, Address data, std::size_t size) {
  Bytes messages;
  add_message(messages, 0x01, 0, row_space(count));
  add_message(messages, 0x03, 1, type);
  add_message(messages, 0x05, 1, Bytes().u8(3).u8(0x0A));                   // IV.A.2.f: no fill value
  add_message(messages, 0x08, 0, Bytes().u8(3).u8(1).u64(data).u64(size));  // IV.A.2.i: contiguous
  return write(object_header(messages));
}

// III.E: collections of texts; each reference is length, collection, place in it
Bytes Hdf5Writer::write_texts(std::span<const std::string> values) {
  Bytes references;
  for (std::size_t first = 0; first < values.size(); first += most_texts) {
    Bytes objects;
    const Address collection = (end_ + 7) / 8 * 8;
    for (std::size_t i = first; i < std::min(first + most_texts, values.size()); ++i) {
      const std::size_t place = i - first + 1;
      objects.u16(place).u16(0).u32(0).u64(values[i].size()).text(values[i]).fill_to((objects.size() + 7) / 8 * 8);
      references.u32(values[i].size()).u64(collection).u32(place);
    }
    // what is left over is an object of its own
    constexpr std::size_t header = 16;
    const std::size_t size = std::max(smallest_collection, 2 * header + objects.size()),
                      left = size - header - objects.size();
    objects.u64(0).u64(left);
    write(Bytes().text("GCOL").u8(1).u8(0).u16(0).u64(size).add(objects).fill_to(size));
  }
  return references;
}

Hdf5Writer::Address Hdf5Writer::write_group(const Group& group, const Bytes& more_messages) {
  Bytes messages;
  const std::size_t count = group.links.size();
  if (count > most_compact_links) {
    add_dense_links(group, messages);
  } else {
    // IV.A.2.c: order of creation known and indexed; the links are in the header
    add_message(messages, 0x02, 0, Bytes().u8(0).u8(3).u64(count).u64(undefined).u64(undefined).u64(undefined));
    for (std::size_t i = 0; i < count; ++i)
      add_message(messages, 0x06, 0, link_message(group.links[i].name, i, group.links[i].address));
  }
  add_message(messages, 0x0A, 1, Bytes().u8(0).u8(0));  // IV.A.2.k
  messages.add(more_messages);
  return write(object_header(messages));
}

// III.G: a fractal heap of a single block holds the links, two B-trees find them by name and by order
void Hdf5Writer::add_dense_links(const Group& group, Bytes& messages) {
  const std::size_t count = group.links.size(), heap_header_size = 146;
  const Address heap = (end_ + 7) / 8 * 8;
  Bytes block;
  block.text("FHDB").u8(0).u64(heap).u32(0).u32(0);
  const std::size_t checksum_place = block_overhead - 4;
  std::vector<std::pair<std::uint32_t, std::size_t>> by_name;
  std::vector<Bytes> ids, names, orders;
  for (std::size_t i = 0; i < count; ++i) {
    const Bytes link = link_message(group.links[i].name, i, group.links[i].address);
    ids.push_back(Bytes().u8(0).u32(block.size()).u16(link.size()));
    block.add(link);
    by_name.emplace_back(lookup3(group.links[i].name), i);
    orders.push_back(Bytes().u64(i).add(ids.back()));
  }
  const std::size_t used = block.size(), size = power_of_two_above(used, smallest_node);
  block.fill_to(size);
  block.set_u32(checksum_place, lookup3(block.data()));

  Bytes header;
  header.text("FRHP").u8(0).u16(7).u16(0).u8(2).u32(largest_link);  // ids of 7 bytes, no filters, checked blocks
  header.u64(0).u64(undefined).u64(size - used).u64(undefined).u64(size).u64(size).u64(0).u64(count);
  header.u64(0).u64(0).u64(0).u64(0);  // nothing huge, nothing tiny
  // room for blocks that others may add: four of this size, then larger ones
  header.u16(4).u64(size).u64(std::max(least_largest_block, 2 * size)).u16(32).u16(1);
  header.u64(heap + (heap_header_size + 7) / 8 * 8).u16(0).checksum();
  write(header);
  write(block);

  std::sort(by_name.begin(), by_name.end(), [&](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : group.links[a.second].name < group.links[b.second].name;
  });
  for (const auto& [hash, i] : by_name) names.push_back(Bytes().u32(hash).add(ids[i]));
  const Address name_index = write_index(5, 11, names), order_index = write_index(6, 15, orders);
  add_message(messages, 0x02, 0, Bytes().u8(0).u8(3).u64(count).u64(heap).u64(name_index).u64(order_index));
}

// III.A.2: a B-tree of version 2, one leaf or a root over many
Hdf5Writer::Address Hdf5Writer::write_index(int type, int record_size, const std::vector<Bytes>& records) {
  constexpr std::size_t around = 10;  // signature, version, type, checksum
  const std::size_t whole = around + records.size() * static_cast<std::size_t>(record_size);
  const std::size_t node = std::min(power_of_two_above(whole, smallest_node), largest_node);
  const auto write_leaf = [&](std::size_t first, std::size_t last) {
    Bytes leaf;
    leaf.text("BTLF").u8(0).u8(type);
    for (std::size_t i = first; i < last; ++i) leaf.add(records[i]);
    return write(leaf.checksum().fill_to(node));
  };
  Address root;
  std::size_t in_root = records.size();
  if (whole <= node) {
    root = write_leaf(0, records.size());
  } else {
    // between two leaves stands one record in the root
    const std::size_t room = (node - around) / static_cast<std::size_t>(record_size);
    const std::size_t leaves = (records.size() + 1 + room) / (room + 1);
    Bytes separators, children;
    for (std::size_t k = 0; k < leaves; ++k) {
      const std::size_t first = k * (records.size() + 1) / leaves, last = (k + 1) * (records.size() + 1) / leaves - 1;
      children.u64(write_leaf(first, last)).u16(last - first);
      if (k + 1 < leaves) separators.add(records[last]);
    }
    in_root = leaves - 1;
    root = write(Bytes().text("BTIN").u8(0).u8(type).add(separators).add(children).checksum().fill_to(node));
  }
  Bytes header;
  header.text("BTHD").u8(0).u8(type).u32(node).u16(record_size).u16(whole <= node ? 0 : 1).u8(100).u8(40);
  return write(header.u64(root).u16(in_root).u64(records.size()).checksum());
}

}  // namespace escapement
