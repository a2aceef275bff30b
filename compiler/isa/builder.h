// Appends instructions to a program: what lowering and hand-written tests use. Every helper asks the table (info.h)
// for operand sizes, so a value comes back as a fresh virtual register of the right number of words.
//
//   Builder b(program);
//   Operand x = b.value(Opcode::FAdd, Type::F32, a, c);            // new register
//   b.into(x, Opcode::FMul, Type::F32, x, x);                      // existing register
//   b.ifBegin(cond); b.moveMasked(phi, x); b.elseBegin(); ... b.ifEnd();
//
// A register that is written inside divergent control flow and read after the lanes meet again (variables, phis, loop
// state) must be written with *masked* instructions; anything else may use the plain forms.
#pragma once

#include <algorithm>
#include <bit>
#include <initializer_list>

#include "compiler/isa/info.h"

namespace etzel::isa {

class Builder {
 public:
  explicit Builder(Program& program) : program_(program) {}
  Program& program() { return program_; }

  /// Source location of the instructions that follow: index into Program::locations + 1; 0 = none.
  void setLine(uint32_t line) { line_ = line; }
  /// While set, every instruction with a destination is emitted masked.
  void setMasked(bool masked) { masked_ = masked; }

  /// The instruction just appended may be edited through the reference until the next one is appended.
  Inst& emit(Opcode op, Type type, Operand dst, std::initializer_list<Operand> srcs, uint8_t sub = 0, uint32_t imm = 0,
             uint8_t count = 1) {
    Inst inst;
    inst.op = op, inst.type = type, inst.dst = dst, inst.sub = sub, inst.imm = imm, inst.count = count;
    inst.masked = masked_ && dst.present();
    inst.line = line_;
    uint32_t i = 0;
    for (Operand s : srcs) inst.src[i++] = s;
    program_.code.push_back(inst);
    return program_.code.back();
  }

  /// Result in a new register, sized by the table.
  Operand value(Opcode op, Type type, Operand a = {}, Operand b = {}, Operand c = {}, uint8_t sub = 0, uint32_t imm = 0,
                uint8_t count = 1) {
    Inst& inst = emit(op, type, {}, {a, b, c}, sub, imm, count);
    const uint32_t words = dstWords(inst);
    if (words) {
      inst.dst = program_.newTemp(words);
      inst.masked = masked_;
    }
    return inst.dst;
  }
  /// Result in `dst`.
  void into(Operand dst, Opcode op, Type type, Operand a = {}, Operand b = {}, Operand c = {}, uint8_t sub = 0) {
    emit(op, type, dst, {a, b, c}, sub);
  }

  // --- Constants and moves
  Operand imm(uint32_t bits) { return value(Opcode::LdImm, Type::I32, {}, {}, {}, 0, bits); }
  Operand imm(int32_t i) { return imm(static_cast<uint32_t>(i)); }
  Operand imm(float f) { return imm(std::bit_cast<uint32_t>(f)); }
  Operand imm64(uint64_t bits) {
    Operand d = program_.newTemp(2);
    emit(Opcode::LdImm, Type::I32, d, {}, 0, static_cast<uint32_t>(bits));
    emit(Opcode::LdImm, Type::I32, word(d, 1), {}, 0, static_cast<uint32_t>(bits >> 32));
    return d;
  }
  /// The operand `n` words further.
  static Operand word(Operand o, uint32_t n) { return {o.bank, o.word + n}; }
  /// Copies `words` words; any number (split into instructions of at most 8).
  void move(Operand dst, Operand src, uint32_t words = 1) { copy(dst, src, words, masked_); }
  void moveMasked(Operand dst, Operand src, uint32_t words = 1) { copy(dst, src, words, true); }
  /// cond != 0 ? a : b, for up to 8 words.
  Operand select(Operand cond, Operand a, Operand b, uint32_t words = 1) {
    return value(Opcode::Sel, Type::I32, cond, a, b, 0, 0, static_cast<uint8_t>(words));
  }

  // --- Comparisons and conversions
  Operand fcmp(CmpF cmp, Type type, Operand a, Operand b) {
    return value(Opcode::FCmp, type, a, b, {}, static_cast<uint8_t>(cmp));
  }
  Operand icmp(CmpI cmp, Type type, Operand a, Operand b) {
    return value(Opcode::ICmp, type, a, b, {}, static_cast<uint8_t>(cmp));
  }
  /// One of the Cvt* opcodes.
  Operand convert(Opcode op, Type dstType, Type srcType, Operand a) {
    return value(op, dstType, a, {}, {}, static_cast<uint8_t>(srcType));
  }

  // --- Inputs
  Operand sys(abi::SysValue v) {
    program_.info.sysValues |= uint64_t(1) << static_cast<uint32_t>(v);
    return value(Opcode::Sys, Type::I32, {}, {}, {}, 0, static_cast<uint32_t>(v));
  }

  // --- Memory. `type`: I8, I16, I32, I64; `count` 1-8 elements.
  Operand load(Space space, Type type, Operand address, Operand offset, uint32_t immOffset = 0, uint32_t count = 1) {
    return value(Opcode::Ld, type, address, offset, {}, static_cast<uint8_t>(space), immOffset,
                 static_cast<uint8_t>(count));
  }
  void store(Space space, Type type, Operand address, Operand offset, Operand data, uint32_t immOffset = 0,
             uint32_t count = 1) {
    emit(Opcode::St, type, {}, {address, offset, data}, static_cast<uint8_t>(space), immOffset,
         static_cast<uint8_t>(count));
  }
  /// `data`: the value, then (CompareExchange) the comparator, in consecutive words; absent for Load.
  Operand atomic(Space space, abi::AtomicOp op, Type type, Operand address, Operand offset, Operand data,
                 uint32_t immOffset = 0) {
    Inst& inst = emit(Opcode::Atom, type, {}, {address, offset, data}, static_cast<uint8_t>(space), immOffset);
    inst.atomic = static_cast<uint8_t>(op);
    const uint32_t words = dstWords(inst);
    if (words) {
      inst.dst = program_.newTemp(words);
      inst.masked = masked_;
    }
    return inst.dst;
  }
  Operand descriptor(uint32_t resource, Operand element = {}) {
    return value(Opcode::Desc, Type::I32, element, {}, {}, 0, resource);
  }
  /// `args`: argument block as tex_inst.h orders it (may be absent when it has no words).
  Operand texture(abi::TexInst t, Operand image, Operand args, Operand sampler = {}) {
    return value(Opcode::Tex2, Type::I32, image, args, sampler, 0, t.pack());
  }

  // --- Control flow
  void ifBegin(Operand cond) { control(Opcode::If, cond); }
  void elseBegin() { control(Opcode::Else); }
  void ifEnd() { control(Opcode::EndIf); }
  void blockBegin() { control(Opcode::Block); }
  void blockEnd() { control(Opcode::EndBlock); }
  void loopBegin() { control(Opcode::Loop); }
  void loopEnd() { control(Opcode::EndLoop); }
  /// To the end of the depth-th enclosing block, 0 = innermost; ifs and loops do not count.
  void br(uint32_t depth) { control(Opcode::Br, {}, depth); }
  void brIf(Operand cond, uint32_t depth) { control(Opcode::BrC, cond, depth); }
  void ret() { control(Opcode::Ret); }
  void control(Opcode op, Operand src = {}, uint32_t imm = 0) {
    Inst inst;
    inst.op = op, inst.src[0] = src, inst.imm = imm, inst.line = line_;
    program_.code.push_back(inst);
  }

 private:
  void copy(Operand dst, Operand src, uint32_t words, bool masked) {
    for (uint32_t at = 0; at < words; at += 8) {
      Inst& inst = emit(Opcode::XMov, Type::I32, word(dst, at), {word(src, at)}, 0, 0,
                        static_cast<uint8_t>(std::min(words - at, 8u)));
      inst.masked = masked;
    }
  }

  Program& program_;
  uint32_t line_ = 0;
  bool masked_ = false;
};

}  // namespace etzel::isa
