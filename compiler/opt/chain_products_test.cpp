#include <gtest/gtest.h>

#include "compiler/isa/assemble.h"
#include "compiler/opt/pass_test.h"

namespace etzel::opt {
namespace {

std::string load(const char* to, const char* at, uint32_t bytes = 0) {
  return std::string("ld.buffer.i32.x4 ") + to + ", c0.x, " + at + ", #" + std::to_string(bytes) + "\n";
}
std::string product(const char* to, const char* a, const char* b, const char* sum) {
  return std::string("sgproduct.f32.x4 ") + to + ", " + a + ", " + b + ", " + sum + "\n";
}
std::string move(const char* to, const char* from) { return std::string("xmov.x4.m ") + to + ", " + from + "\n"; }

TEST(ChainProductsPass, ProductsFollowThoseWhoseSumsTheyAddTo) {
  // Two steps for two sums: r20 += a * b + c * d, r21 += a * e + c * f.
  const std::string a = product("r10.x", "r0.x", "r2.x", "r20.x"), b = product("r11.x", "r0.x", "r3.x", "r21.x");
  const std::string c = product("r12.x", "r4.x", "r6.x", "r10.x"), d = product("r13.x", "r4.x", "r7.x", "r11.x");
  expectPass("chain-products", a + b + c + d + move("r20.x", "r12.x") + move("r21.x", "r13.x"),
             a + c + b + d + move("r20.x", "r12.x") + move("r21.x", "r13.x"));
}

TEST(ChainProductsPass, VariablesGetTheLastSumOnly) {
  const std::string a = product("r10.x", "r0.x", "r2.x", "r20.x"), b = product("r11.x", "r4.x", "r6.x", "r10.x");
  expectPass("chain-products", a + move("r20.x", "r10.x") + b + move("r20.x", "r11.x"), a + b + move("r20.x", "r11.x"));
  // Someone reads what the first step left, or the second one leaves a word of it.
  const std::string reader = "xmov r30.x, r20.y\n";
  expectPass("chain-products", a + move("r20.x", "r10.x") + reader + b + move("r20.x", "r11.x"),
             a + b + move("r20.x", "r10.x") + reader + move("r20.x", "r11.x"));
  const std::string three = "xmov.x3.m r20.x, r11.x\n";
  expectPass("chain-products", a + move("r20.x", "r10.x") + b + three, a + b + move("r20.x", "r10.x") + three);
}

TEST(ChainProductsPass, WhatProductsNeedStandsBeforeThem) {
  const std::string a = product("r10.x", "r0.x", "r2.x", "r20.x"), b = product("r11.x", "r4.x", "r6.x", "r10.x");
  const std::string place = "iadd.i32 r30.x, r31.x, r32.x\n", own = load("r4.x", "r30.x");
  expectPass("chain-products", a + place + own + b, place + own + a + b);
  // What the first product reads is written for the second one: it stays behind.
  expectPass("chain-products", a + load("r0.x", "r31.x") + product("r11.x", "r0.x", "r6.x", "r10.x"),
             a + load("r0.x", "r31.x") + product("r11.x", "r0.x", "r6.x", "r10.x"));
}

TEST(ChainProductsPass, LoadsOfALineStandSideBySide) {
  const std::string first = product("r10.x", "r0.x", "r2.x", "r20.x");
  const std::string second = product("r11.x", "r4.x", "r2.x", "r10.x"),
                    other = product("r12.x", "r6.x", "r2.x", "r11.x");
  // r33 = 4 * (r31 + 2) is eight bytes behind r32 = 4 * r31; r35 = 4 * (r31 + 16) is a line further, and so is 64.
  const std::string place = ".const 0 2 16 1\nshl.i32 r32.x, r31.x, c0.y\n";
  const std::string near = "iadd.i32 r34.x, r31.x, c0.y\nshl.i32 r33.x, r34.x, c0.y\n";
  const std::string far = "iadd.i32 r36.x, r31.x, c0.z\nshl.i32 r35.x, r36.x, c0.y\n";
  expectPass("chain-products",
             place + near + far + load("r0.x", "r32.x") + load("r4.x", "r35.x") + load("r6.x", "r33.x", 16) + first +
                 second + other,
             place + load("r0.x", "r32.x") + near + load("r6.x", "r33.x", 16) + far + load("r4.x", "r35.x") + first +
                 second + other);
}

TEST(ChainProductsPass, NothingMovesOverWhatOthersSee) {
  const std::string a = product("r10.x", "r0.x", "r2.x", "r20.x"), b = product("r11.x", "r0.x", "r3.x", "r21.x");
  const std::string c = product("r12.x", "r4.x", "r6.x", "r10.x");
  for (const std::string between : {"st.buffer.i32 c0.x, r30.x, r31.x, #0\n", "membar\n", "if r30.x\nendif\n"})
    expectPass("chain-products", a + b + between + c, a + b + between + c);
}

TEST(ChainProductsPass, CodeWithoutChainsStays) {
  const std::string a = product("r10.x", "r0.x", "r2.x", "r20.x"), b = product("r11.x", "r4.x", "r2.x", "r21.x");
  expectPass("chain-products", a + load("r4.x", "r31.x") + b, a + load("r4.x", "r31.x") + b);
  // A sum of another length, or of words that several wrote, is no chain.
  const std::string less = "sgproduct.f32.x3 r12.x, r4.x, r6.x, r10.x\n";
  expectPass("chain-products", a + b + less, a + b + less);
}

}  // namespace
}  // namespace etzel::opt
