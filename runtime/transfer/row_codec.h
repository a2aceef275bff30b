// Rows of texels between formats: to numbers, from numbers, and from one format straight to another where a blit does
// not filter. Some layouts have ways of their own (row_lanes.h), all others go through format::decoder and
// format::encoder; bytes are the same either way. Internal to transfer/; objects are immutable.
#pragma once

#include <array>
#include <memory>

#include "runtime/transfer/row_lanes.h"

namespace etzel::transfer {

/// Texels to numbers. Uncompressed formats only.
class RowDecoder {
 public:
  explicit RowDecoder(VkFormat format);
  /// \param out has room for `count` rounded up to kRowPadding
  void decode(const std::byte* texels, size_t count, format::Texel* out) const;
  uint32_t texelBytes() const { return texelBytes_; }
  format::TexelLayout layout() const { return layout_; }

 private:
  const RowLanes& lanes_;
  format::DecodeFn decode_;
  format::TexelLayout layout_;
  uint32_t texelBytes_;
};

class RowEncoder {
 public:
  explicit RowEncoder(VkFormat format);
  /// \param texels can be read up to `count` rounded up to kRowPadding
  void encode(const format::Texel* texels, size_t count, std::byte* out) const;
  /// encode() of a * (1 - weight) + b * weight; `b` takes no part without weight. \param scratch as large as `a`, may
  /// be `a`
  void encodeMix(const format::Texel* a, const format::Texel* b, float weight, size_t count, format::Texel* scratch,
                 std::byte* out) const;
  uint32_t texelBytes() const { return texelBytes_; }

 private:
  const RowLanes& lanes_;
  format::EncodeFn encode_;
  format::TexelLayout layout_;
  uint32_t texelBytes_;
};

/// Texels of one uncompressed format to another.
class RowConverter {
 public:
  /// \param texels how many are going to be converted: tables pay from some number on
  RowConverter(VkFormat from, VkFormat to, uint64_t texels);
  void convert(const std::byte* from, size_t count, std::byte* to) const;
  /// Whether convert() only copies.
  bool copies() const { return way_ == Way::Copy; }
  /// Whether convert() is limited by memory.
  bool movesBytes() const { return way_ == Way::Copy || way_ == Way::Swap; }

 private:
  enum class Way : uint8_t { Copy, Swap, Bytes, Numbers, WideNumbers };
  /// For each byte of a result the byte of the source that decides it, and how.
  struct ByteMap {
    uint8_t source[4] = {};
    std::array<uint8_t, 256> code[4];
  };
  void convertBytes(const std::byte* from, size_t count, std::byte* to) const;
  /// A few texels.
  void convertNumbers(const std::byte* from, size_t count, std::byte* to) const;
  void convertWide(const std::byte* from, size_t count, std::byte* to) const;
  void makeByteMap(const format::FormatInfo& from, const format::FormatInfo& to);

  RowDecoder decoder_;
  RowEncoder encoder_;
  const format::FormatInfo &from_, &to_;
  Way way_ = Way::Numbers;
  std::unique_ptr<ByteMap> map_;
};

/// Copies texels columns[0..count) of a row next to each other.
using GatherFn = void (*)(const std::byte* row, const uint32_t* columns, size_t count, std::byte* out);
/// \param texelBytes of an uncompressed format
GatherFn gatherTexels(uint32_t texelBytes);

}  // namespace etzel::transfer
