#include "compiler/spirv/sized_uniforms.h"

#include <unordered_set>

#include "compiler/spirv/rewrite.h"

namespace etzel::spirv {
namespace {

using O = spv::Op;

/// What is asked of a type.
struct SeenType {
  O op = O::OpNop;
  uint32_t element = 0;  ///< of arrays and pointers; of structures the last member's
};

class Writer : Declared<SeenType> {
 public:
  explicit Writer(std::span<const uint32_t> words) : words_(words), out_(words.begin(), words.begin() + kHeaderWords) {}

  Result<std::vector<uint32_t>> run() {
    bool any = false;
    const Result<bool> whole = visitTwice(
        words_, [&](Words inst) { declare(inst); },
        [&](Words inst) {
          if (!found_) any = findBlocks();
          if (any) write(inst);
          return Result<void>();
        });
    if (!whole) return whole.error();
    if (!*whole || !any) return std::vector<uint32_t>();
    return std::move(out_);
  }

 private:
  static uint32_t word(Words inst, size_t i) { return i < inst.size() ? inst[i] : 0u; }
  bool isArray(uint32_t id) const { return type(id).op == O::OpTypeArray || type(id).op == O::OpTypeRuntimeArray; }
  static bool isInt32(Words inst) { return opOf(inst) == O::OpTypeInt && word(inst, 2) == 32; }

  void declare(Words inst) {
    const O op = opOf(inst);
    if (op == O::OpTypeArray || op == O::OpTypeRuntimeArray)
      types_[word(inst, 1)] = {op, word(inst, 2)};
    else if (op == O::OpTypePointer)
      types_[word(inst, 1)] = {op, word(inst, 3)};
    else if (op == O::OpTypeStruct && inst.size() > 2)
      types_[word(inst, 1)] = {op, inst.back()};
    else if (op == O::OpDecorate && word(inst, 2) == uint32_t(spv::Decoration::Block))
      blocks_.insert(word(inst, 1));
    else if (op == O::OpVariable && word(inst, 3) == uint32_t(spv::StorageClass::Uniform))
      uniforms_.insert(word(inst, 1));
    else if (isInt32(inst) && !int_)
      int_ = word(inst, 1), intWords_ = inst;
  }

  /// The blocks of uniform buffers that end in arrays without a size. \returns whether there are any
  bool findBlocks() {
    found_ = true;
    for (const uint32_t pointer : uniforms_) {
      constexpr uint32_t kDepth = 16;  // nobody has said yet that no array is its own element
      uint32_t block = type(pointer).element;
      for (uint32_t i = 0; i < kDepth && isArray(block); ++i) block = type(block).element;
      const uint32_t tail = type(block).element;
      if (type(block).op != O::OpTypeStruct || type(tail).op != O::OpTypeRuntimeArray || !blocks_.count(block))
        continue;
      ended_.insert(block);
      if (!sized_.count(tail)) sized_[tail] = out_[3]++;
    }
    return !ended_.empty();
  }

  void keep(Words inst) { out_.insert(out_.end(), inst.begin(), inst.end()); }

  /// A length, whose type may stand behind the block: it needs nothing before it.
  uint32_t length() {
    if (length_) return length_;
    if (!int_) {
      int_ = out_[3]++;
      putInstruction(out_, O::OpTypeInt, {int_, 32, 0});
    } else if (!intDone_) {
      keep(intWords_);
    }
    intDone_ = true;
    constexpr uint32_t kLarge = 1 << 24;  // indices that are constants must lie in the array
    length_ = out_[3]++;
    putInstruction(out_, O::OpConstant, {int_, length_, kLarge});
    return length_;
  }

  void write(Words inst) {
    const O op = opOf(inst);
    const bool isFirstInt = isInt32(inst) && word(inst, 1) == int_;
    if (isFirstInt && intDone_) return;
    intDone_ |= isFirstInt;
    const bool isStride = op == O::OpDecorate && word(inst, 2) == uint32_t(spv::Decoration::ArrayStride);
    if (const auto of = sized_.find(word(inst, 1)); isStride && of != sized_.end())
      putInstruction(out_, op, {of->second, inst[2], word(inst, 3)});
    const uint32_t tail = inst.back();
    const auto sized = sized_.find(tail);  // what is no module may have two structures of one name
    if (op != O::OpTypeStruct || !ended_.count(word(inst, 1)) || sized == sized_.end()) return keep(inst);
    const uint32_t array = sized->second;
    if (declared_.insert(array).second) {
      const uint32_t count = length();
      putInstruction(out_, O::OpTypeArray, {array, type(tail).element, count});
    }
    keep(inst);
    out_.back() = array;
  }

  std::span<const uint32_t> words_;
  std::vector<uint32_t> out_;                       ///< out_[3] is the bound
  std::unordered_set<uint32_t> blocks_, uniforms_;  ///< decorated structures; types of variables
  std::unordered_set<uint32_t> ended_;              ///< structures that end in an array to be sized
  std::unordered_map<uint32_t, uint32_t> sized_;    ///< by the array without a size, that with one
  std::unordered_set<uint32_t> declared_;           ///< of those with one
  bool found_ = false, intDone_ = false;
  uint32_t int_ = 0, length_ = 0;  ///< a type of 32-bit integers, and a constant of it
  Words intWords_;                 ///< its declaration
};

bool hasUnsizedArrays(std::span<const uint32_t> words) {
  bool has = false;
  forEach(words, [&](Words inst) { return !(has = opOf(inst) == O::OpTypeRuntimeArray); });
  return has;
}

}  // namespace

Result<std::vector<uint32_t>> withSizedUniforms(std::span<const uint32_t> words) {
  if (words.size() < kHeaderWords || !hasUnsizedArrays(words)) return std::vector<uint32_t>();
  return Writer(words).run();
}

}  // namespace etzel::spirv
