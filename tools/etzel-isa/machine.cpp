#include "tools/etzel-isa/machine.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>

#include "compiler/isa/info.h"
#include "runtime/tex/unit/texture_unit.h"

namespace etzel::tool {

namespace {
const std::byte kZeros[abi::kNullBytes] = {};
constexpr uint32_t kMaxVertices = 32;
constexpr size_t kMaxValues = 1 << 24;
}  // namespace

Machine::Machine(const isa::Program& program)
    : in(abi::kAttributeWords),
      sys(abi::kSysValueCount),
      vertices(kMaxVertices, std::vector<uint32_t>(abi::kRecordWords)),
      program_(program) {
  context.pushConstants = push_.data();
  context.functions = &tex::functionTable();
  // All descriptor memory that the program names, null descriptors at first.
  std::map<uint32_t, uint32_t> bytes;
  for (const isa::Resource& r : program.resources) {
    const uint32_t table = abi::tableOf(r.baseHandle);
    const auto end = static_cast<uint32_t>(abi::byteOffsetOf(r.baseHandle) + abi::kDescriptorBytes);
    if (table != abi::kNullTable) bytes[table] = std::max(bytes[table], std::min(end, 1u << 24));
  }
  for (auto [table, size] : bytes) {
    tables_[table].resize(size);
    context.table[table] = tables_[table].data(), context.tableBytes[table] = size;
  }
  context.table[abi::kNullTable] = kZeros, context.tableBytes[abi::kNullTable] = abi::kDescriptorBytes;
}

std::byte* Machine::slot(uint32_t resource) {
  const abi::DescriptorHandle handle = program_.resources[resource].baseHandle;
  const uint64_t at = abi::byteOffsetOf(handle);
  auto table = tables_.find(abi::tableOf(handle));
  if (table == tables_.end() || at + abi::kDescriptorBytes > table->second.size()) return nullptr;
  return table->second.data() + at;
}

/// Reads one setting from left to right.
class SettingParser {
 public:
  SettingParser(Machine& machine, const std::string& text) : m_(machine), text_(text) {}

  Result<void> run() {
    const size_t comment = text_.find('#');
    if (comment != std::string::npos) text_.resize(comment);
    skip();
    if (at_ == text_.size()) return {};
    statement();
    skip();
    if (why_.empty() && at_ != text_.size()) fail("unexpected text");
    if (why_.empty()) return {};
    return Error{ErrorCode::InvalidArgument, "column " + std::to_string(mark_ + 1) + ": " + why_};
  }

 private:
  void fail(std::string why) {
    if (why_.empty()) why_ = std::move(why);
  }
  void skip() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
    if (why_.empty()) mark_ = at_;
  }
  bool take(char c) {
    skip();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!take(c)) fail(std::string("expected '") + c + "'");
  }
  std::string word() {
    skip();
    const size_t from = at_;
    while (at_ < text_.size() && (std::isalpha(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_')) ++at_;
    return text_.substr(from, at_ - from);
  }
  std::string name() {  // a word with digits
    skip();
    const size_t from = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_')) ++at_;
    return text_.substr(from, at_ - from);
  }
  uint32_t integer(uint32_t limit) {
    skip();
    char* end = nullptr;
    const unsigned long long v = std::strtoull(text_.c_str() + at_, &end, 0);
    if (end == text_.c_str() + at_ || text_[at_] == '-') fail("expected a number");
    if (v > limit) fail("the number is too large");
    at_ = static_cast<size_t>(end - text_.c_str());
    return static_cast<uint32_t>(std::min<unsigned long long>(v, limit));
  }
  /// An integer, hexadecimal bits or a float, as 32 bits.
  uint32_t value() {
    skip();
    const char* from = text_.c_str() + at_;
    size_t n = 0;
    bool isFloat = false;
    const bool hex = from[0] == '0' && (from[1] == 'x' || from[1] == 'X');
    for (; from[n] && !std::strchr(", \t*", from[n]); ++n) isFloat |= !hex && std::strchr(".einf", from[n]);
    char* end = nullptr;
    const uint32_t bits =
        isFloat ? std::bit_cast<uint32_t>(std::strtof(from, &end)) : static_cast<uint32_t>(std::strtoll(from, &end, 0));
    if (end == from) fail("expected a value");
    at_ += static_cast<size_t>(end - from);
    return bits;
  }
  std::vector<uint32_t> values() {
    std::vector<uint32_t> v;
    do {
      uint32_t one = value();
      size_t times = 1;
      if (take('*')) times = one, one = value();
      if (times > kMaxValues || v.size() + times > kMaxValues) fail("too many values");
      if (why_.empty()) v.insert(v.end(), times, one);
    } while (why_.empty() && take(','));
    return v;
  }
  /// One value for all lanes, or one for each.
  void lanes(LaneWords& to) {
    const size_t at = at_;
    const std::vector<uint32_t> v = values();
    if (v.size() != 1 && v.size() != kWarpLanes) mark_ = at, fail("expected one value, or one for each of the 8 lanes");
    if (why_.empty())
      for (uint32_t l = 0; l < kWarpLanes; ++l) to.lane[l] = v[v.size() == 1 ? 0 : l];
  }
  /// Number of a resource: N, or SET:BINDING.
  uint32_t resource() {
    const uint32_t n = integer(~0u - 1);
    const auto& all = m_.program_.resources;
    if (take(':')) {
      const uint32_t binding = integer(~0u - 1);
      for (uint32_t i = 0; i < all.size(); ++i)
        if (all[i].set == n && all[i].binding == binding) return i;
      fail("the program has no such binding");
      return 0;
    }
    if (n >= all.size()) fail("the program has no such resource");
    return n;
  }

  void statement() {
    const std::string what = word();
    if (what == "i") {
      const uint32_t reg = integer(abi::kMaxLocations - 1);
      if (take('.')) {
        const size_t c = std::string_view("xyzw").find(at_ < text_.size() ? text_[at_++] : '?');
        if (c > 3) return fail("expected a component");
        expect('=');
        return lanes(m_.in[4 * reg + c]);
      }
      expect('=');
      const std::vector<uint32_t> v = values();
      if (4 * reg + v.size() > m_.in.size()) return fail("too many values");
      for (size_t i = 0; i < v.size(); ++i)
        for (uint32_t& lane : m_.in[4 * reg + i].lane) lane = v[i];
    } else if (what == "sys") {
      const std::string which = name();
      uint32_t n = 0;
      while (n < abi::kSysValueCount && which != isa::sysValueName(static_cast<abi::SysValue>(n))) ++n;
      if (n == abi::kSysValueCount) return fail("no such system value: " + which);
      expect('=');
      m_.sysGiven |= 1ull << n;
      lanes(m_.sys[n]);
    } else if (what == "push") {
      expect('=');
      const std::vector<uint32_t> v = values();
      if (v.size() * 4 > m_.push_.size()) return fail("push constants have 256 bytes");
      std::memcpy(m_.push_.data(), v.data(), v.size() * 4);
    } else if (what == "buffer") {
      const uint32_t n = resource();
      expect('=');
      std::vector<uint32_t> v = values();
      std::byte* to = why_.empty() ? m_.slot(n) : nullptr;
      if (!why_.empty()) return;
      if (!to) return fail("the resource has no descriptor memory");
      m_.buffers[n] = std::move(v);
      const abi::BufferDescriptor d{reinterpret_cast<uint64_t>(m_.buffers[n].data()), m_.buffers[n].size() * 4, {}};
      std::memcpy(to, &d, sizeof d);
    } else if (what == "image") {
      image();
    } else if (what == "attribute") {
      const uint32_t n = integer(abi::kMaxLocations - 1);
      expect('=');
      m_.attributes[n] = values();
    } else if (what == "vertex") {
      const uint32_t n = integer(kMaxVertices - 1);
      expect('=');
      const std::vector<uint32_t> v = values();
      if (v.size() > 4 + 4 * abi::kMaxLocations) return fail("too many values");
      for (size_t i = 0; i < v.size(); ++i) m_.vertices[n][i < 4 ? i : abi::kWordGeneric + i - 4] = v[i];
    } else if (what == "samples" || what == "per_sample" || what == "lanes" || what == "helpers") {
      expect('=');
      const uint32_t n = integer(what == "samples" ? 16 : what == "per_sample" ? 1 : 0xFF);
      if (what == "samples") m_.context.sampleCount = n;
      if (what == "per_sample") m_.context.perSample = n;
      if (what == "lanes") m_.lanes = n;
      if (what == "helpers") m_.helpers = n;
    } else if (what == "groups") {
      expect('=');
      for (uint32_t d = 0; d < 3 && why_.empty(); ++d)
        if (d == 0 || take(',')) m_.groups[d] = integer(65535);
    } else {
      fail("no such setting: " + what);
    }
  }

  const format::FormatInfo* formatNamed(std::string text) {
    for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    for (uint32_t f = 1; f < 185; ++f)  // the formats of Vulkan 1.0 stand side by side
      if (const format::FormatInfo* info = format::find(static_cast<VkFormat>(f)); info && text == info->name)
        return info;
    return nullptr;
  }

  void image() {
    const uint32_t n = resource();
    expect('=');
    const std::string formatName = name();
    const format::FormatInfo* info = formatNamed(formatName);
    if (!info || info->compression != format::Compression::None || !format::encoder(info->format) ||
        !format::decoder(info->format))
      return fail("no such format: " + formatName);
    VkExtent3D extent{integer(4096), 1, 1};
    if (take('x')) extent.height = integer(4096);
    if (take('x')) extent.depth = integer(4096);
    if (!extent.width || !extent.height || !extent.depth ||
        uint64_t{extent.width} * extent.height * extent.depth > 1 << 22)
      return fail("the extent is empty or too large");
    Image& i = m_.images_.emplace_back();
    constexpr std::pair<const char*, VkImageViewType> dims[] = {{"1d", VK_IMAGE_VIEW_TYPE_1D},
                                                                {"2d", VK_IMAGE_VIEW_TYPE_2D},
                                                                {"3d", VK_IMAGE_VIEW_TYPE_3D},
                                                                {"cube", VK_IMAGE_VIEW_TYPE_CUBE},
                                                                {"1d_array", VK_IMAGE_VIEW_TYPE_1D_ARRAY},
                                                                {"2d_array", VK_IMAGE_VIEW_TYPE_2D_ARRAY},
                                                                {"cube_array", VK_IMAGE_VIEW_TYPE_CUBE_ARRAY}};
    constexpr std::pair<const char*, VkSamplerAddressMode> modes[] = {
        {"repeat", VK_SAMPLER_ADDRESS_MODE_REPEAT},
        {"mirror", VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT},
        {"clamp", VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE},
        {"border", VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER}};
    i.sampler.maxLod = 1000;
    bool is3D = extent.depth > 1;
    i.view.type = is3D ? VK_IMAGE_VIEW_TYPE_3D : VK_IMAGE_VIEW_TYPE_2D;
    while (why_.empty() && !take(':')) {
      const std::string option = name();
      bool known = false;
      for (auto [text, type] : dims)
        if (option == text) i.view.type = type, known = true;
      for (auto [text, mode] : modes)
        if (option == text) std::fill(i.sampler.address, i.sampler.address + 3, mode), known = true;
      if (option == "linear") i.sampler.magFilter = i.sampler.minFilter = VK_FILTER_LINEAR, known = true;
      if (option == "compare")
        i.sampler.compare = true, i.sampler.compareOp = VK_COMPARE_OP_LESS_OR_EQUAL, known = true;
      if (!known) fail(option.empty() ? "expected ':' and texels" : "no such option: " + option);
    }
    const size_t valuesAt = at_;
    const std::vector<uint32_t> texels = values();
    if (why_.empty() && texels.size() % 4) mark_ = valuesAt, fail("texels have four components");
    if (!why_.empty()) return;
    fill(i, *info, extent, texels);
    std::byte* to = m_.slot(n);
    if (!to) return fail("the resource has no descriptor memory");
    const abi::ImageDescriptor d{.view = &i.view, .sampler = &i.sampler};
    std::memcpy(to, &d, sizeof d);
  }

  /// Layers of arrays and faces of cubes take the place of depth: WxHxLAYERS.
  static void fill(Image& i, const format::FormatInfo& info, VkExtent3D extent, const std::vector<uint32_t>& texels) {
    const bool is1D = i.view.type == VK_IMAGE_VIEW_TYPE_1D || i.view.type == VK_IMAGE_VIEW_TYPE_1D_ARRAY;
    const bool cube = i.view.type == VK_IMAGE_VIEW_TYPE_CUBE || i.view.type == VK_IMAGE_VIEW_TYPE_CUBE_ARRAY;
    const bool is3D = i.view.type == VK_IMAGE_VIEW_TYPE_3D;
    const uint32_t layers = is3D ? 1 : cube ? std::max(6u, extent.depth / 6 * 6) : extent.depth;
    mem::ImageShape shape;
    shape.type = is3D ? VK_IMAGE_TYPE_3D : is1D ? VK_IMAGE_TYPE_1D : VK_IMAGE_TYPE_2D;
    shape.format = info.format;
    shape.extent = {extent.width, is1D ? 1 : extent.height, is3D ? extent.depth : 1};
    shape.mipLevels = 1, shape.arrayLayers = layers, shape.samples = 1;
    i.layout = mem::layoutImage(shape);
    i.bytes.resize(i.layout.size);
    i.view.layout = &i.layout, i.view.plane = &i.layout.plane[0], i.view.memory = i.bytes.data();
    i.view.format = info.format, i.view.info = &info;
    i.view.decode = format::decoder(info.format), i.view.encode = format::encoder(info.format);
    i.view.layerCount = layers;
    size_t next = 0;
    for (uint32_t layer = 0; layer < layers; ++layer)
      for (uint32_t z = 0; z < shape.extent.depth; ++z)
        for (uint32_t y = 0; y < shape.extent.height; ++y)
          for (uint32_t x = 0; x < extent.width; ++x, next = (next + 4) % texels.size()) {
            format::Texel t;
            std::copy_n(texels.begin() + static_cast<ptrdiff_t>(next), 4, t.word);
            i.view.encode(&t, i.bytes.data() + i.layout.texelOffset(*i.view.plane, 0, layer, 0, x, y, z), 1);
          }
  }

  Machine& m_;
  std::string text_, why_;
  size_t at_ = 0, mark_ = 0;
};

Result<void> Machine::set(const std::string& setting) { return SettingParser(*this, setting).run(); }

}  // namespace etzel::tool
