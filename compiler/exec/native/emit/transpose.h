// Four by four words turned, in both halves of registers of eight: what four lanes have becomes words of those lanes,
// and the other way round.
#pragma once

#include <array>

#include "compiler/exec/native/emit/host.h"

namespace etzel::native {

/// `rows[i]` has row i of one block and, in its upper half, row i of another; the results have their columns so.
inline std::array<llvm::Value*, 4> transposedFours(IR& ir, const std::array<llvm::Value*, 4>& rows) {
  using V = llvm::Value*;
  const auto low = [&](V a, V b) { return ir.CreateShuffleVector(a, b, {0, 8, 1, 9, 4, 12, 5, 13}); };
  const auto high = [&](V a, V b) { return ir.CreateShuffleVector(a, b, {2, 10, 3, 11, 6, 14, 7, 15}); };
  const auto firsts = [&](V a, V b) { return ir.CreateShuffleVector(a, b, {0, 1, 8, 9, 4, 5, 12, 13}); };
  const auto seconds = [&](V a, V b) { return ir.CreateShuffleVector(a, b, {2, 3, 10, 11, 6, 7, 14, 15}); };
  V xy[2] = {low(rows[0], rows[1]), low(rows[2], rows[3])}, zw[2] = {high(rows[0], rows[1]), high(rows[2], rows[3])};
  V x = firsts(xy[0], xy[1]), y = seconds(xy[0], xy[1]);
  V z = firsts(zw[0], zw[1]), w = seconds(zw[0], zw[1]);
  return {x, y, z, w};
}

}  // namespace etzel::native
