#include "icd/debug/png.h"

#include <algorithm>
#include <string_view>

namespace etzel::icd {
namespace {

using Bytes = std::vector<std::byte>;

void append(Bytes& to, uint32_t number) {
  for (int shift = 24; shift >= 0; shift -= 8) to.push_back(static_cast<std::byte>(number >> shift & 255));
}
void append(Bytes& to, std::string_view text) {
  for (const char c : text) to.push_back(static_cast<std::byte>(c));
}

/// "CRC algorithm" of the specification's annex, a bit at a time.
uint32_t crcOf(std::span<const std::byte> bytes) {
  uint32_t crc = ~0u;
  for (const std::byte b : bytes) {
    crc ^= static_cast<uint32_t>(b);
    for (int i = 0; i < 8; ++i) crc = crc & 1 ? 0xEDB88320u ^ crc >> 1 : crc >> 1;
  }
  return ~crc;
}

/// RFC 1950
uint32_t adlerOf(std::span<const std::byte> bytes) {
  uint32_t a = 1, b = 0;
  for (const std::byte byte : bytes) {
    a = (a + static_cast<uint32_t>(byte)) % 65521;
    b = (b + a) % 65521;
  }
  return b << 16 | a;
}

void chunk(Bytes& to, std::string_view type, std::span<const std::byte> data) {
  append(to, static_cast<uint32_t>(data.size()));
  const size_t begin = to.size();
  append(to, type);
  to.insert(to.end(), data.begin(), data.end());
  append(to, crcOf(std::span(to).subspan(begin)));
}

/// RFC 1950 and 1951: blocks that are stored as they are.
Bytes stored(std::span<const std::byte> bytes) {
  constexpr size_t kBlock = 65535;
  Bytes out = {std::byte{0x78}, std::byte{0x01}};
  size_t at = 0;
  do {
    const size_t count = std::min(kBlock, bytes.size() - at);
    const auto length = static_cast<uint32_t>(count);
    out.push_back(at + count == bytes.size() ? std::byte{1} : std::byte{0});
    for (const uint32_t word : {length, ~length})
      for (const uint32_t shift : {0u, 8u}) out.push_back(static_cast<std::byte>(word >> shift & 255));
    out.insert(out.end(), bytes.begin() + static_cast<ptrdiff_t>(at),
               bytes.begin() + static_cast<ptrdiff_t>(at + count));
    at += count;
  } while (at < bytes.size());
  append(out, adlerOf(bytes));
  return out;
}

}  // namespace

Bytes toPng(uint32_t width, uint32_t height, std::span<const std::byte> rgb) {
  Bytes out = {std::byte{0x89}, std::byte{'P'},  std::byte{'N'},  std::byte{'G'},
               std::byte{'\r'}, std::byte{'\n'}, std::byte{0x1A}, std::byte{'\n'}};
  Bytes header;
  append(header, width), append(header, height);
  for (const uint8_t v : {8, 2, 0, 0, 0}) header.push_back(static_cast<std::byte>(v));  // 8 bits, red, green and blue
  chunk(out, "IHDR", header);
  Bytes rows;
  const size_t pitch = size_t{width} * 3;
  for (uint32_t y = 0; y < height; ++y) {
    rows.push_back(std::byte{0});  // no filter
    const auto row = rgb.subspan(y * pitch, pitch);
    rows.insert(rows.end(), row.begin(), row.end());
  }
  chunk(out, "IDAT", stored(rows));
  chunk(out, "IEND", {});
  return out;
}

}  // namespace etzel::icd
