#include "compiler/debug/spirv_listing.h"

#include <algorithm>
#include <charconv>
#include <spirv-tools/libspirv.hpp>

namespace etzel::debugger {

uint32_t SpirvListing::lineOf(uint32_t word) const {
  const auto it = std::find(wordOfLine.begin(), wordOfLine.end(), word);
  return word && it != wordOfLine.end() ? static_cast<uint32_t>(it - wordOfLine.begin()) : 0;
}

SpirvListing listSpirv(std::span<const uint32_t> spirv) {
  SpirvListing listing;
  std::string text;
  const spvtools::SpirvTools tools(SPV_ENV_UNIVERSAL_1_6);
  const uint32_t options = SPV_BINARY_TO_TEXT_OPTION_SHOW_BYTE_OFFSET | SPV_BINARY_TO_TEXT_OPTION_FRIENDLY_NAMES |
                           SPV_BINARY_TO_TEXT_OPTION_INDENT;
  if (!tools.Disassemble(spirv.data(), spirv.size(), &text, options)) return listing;
  // Each instruction ends in "; 0x00000014", its first byte; strings may have lines of their own.
  constexpr std::string_view kMark = " ; 0x";
  listing.wordOfLine.push_back(0);
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = std::string_view(text).substr(at, end - at);
    at = end + 1;
    uint32_t byte = 0;
    const size_t mark = line.rfind(kMark);
    if (mark != std::string_view::npos) {
      const char* const last = line.data() + line.size();
      if (std::from_chars(line.data() + mark + kMark.size(), last, byte, 16).ptr == last)
        line = line.substr(0, line.find_last_not_of(' ', mark) + 1);
      else
        byte = 0;
    }
    listing.wordOfLine.push_back(byte / 4);
    listing.text.append(line) += '\n';
  }
  return listing;
}

}  // namespace etzel::debugger
