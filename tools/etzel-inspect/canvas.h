// A picture to write and paint on.
#pragma once

#include <string>

#include "pictures.h"

namespace inspect {

inline constexpr uint32_t kAdvance = 6;            ///< from a letter to the next
inline constexpr uint32_t kLine = 14;              ///< from a line to the next
inline constexpr uint8_t kPaper = 250, kInk = 30;  ///< grey

inline uint32_t widthOf(const std::string& text) { return uint32_t(text.size()) * kAdvance; }

class Canvas {
 public:
  Canvas(uint32_t width, uint32_t height)
      : p_{width, height, std::vector<uint8_t>(size_t{width} * height * 3, kPaper)} {}

  void set(uint32_t x, uint32_t y, uint8_t r, uint8_t g, uint8_t b);
  void fill(uint32_t x, uint32_t y, uint32_t width, uint32_t height, uint8_t r, uint8_t g, uint8_t b);
  /// Letters, which are written small, digits, and a few signs.
  void write(uint32_t x, uint32_t y, const std::string& text);
  /// \pre there is room for all of it
  void draw(const Picture& p, uint32_t x, uint32_t y);
  Picture take() { return std::move(p_); }

 private:
  Picture p_;
};

}  // namespace inspect
