#include "compiler/exec/native/emit/float_fields.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/Local.h>

#include <cmath>
#include <map>
#include <optional>
#include <vector>

#include "compiler/exec/native/emit/host.h"

namespace etzel::native {
namespace {

using namespace llvm::PatternMatch;
using V = llvm::Value*;
using llvm::Instruction;

constexpr uint32_t kWordBits = 32, kFractionBits = 23, kBias = 127, kHalf = 16;
/// Sums of fields and of what is added are whole numbers that floats have all of.
constexpr uint32_t kMostBits = 16;
constexpr double kMostAdded = 1 << 16;

/// Bits of a word, and a whole number that is added to them.
struct Field {
  Instruction* result = nullptr;  ///< the float
  V word = nullptr;
  uint32_t at = 0, bits = 0;
  bool isSigned = false;
  double added = 0;
  /// By how much the word is shifted first: all that have that in common share it.
  uint32_t shifted() const { return at < kHalf && at + bits <= kFractionBits ? 0 : std::min(at, kHalf); }
  bool isTop() const { return at + bits == kWordBits; }
};

/// A value that an operation with the same word in all lanes is of.
struct Step {
  V of = nullptr;
  const llvm::APInt* word = nullptr;
  explicit operator bool() const { return word; }
  uint32_t shift() const { return static_cast<uint32_t>(word->getLimitedValue(kWordBits)); }
};
Step stepOf(V v, unsigned opcode) {
  const auto* i = llvm::dyn_cast<llvm::BinaryOperator>(v);
  Step s;
  if (i && i->getOpcode() == opcode && match(i->getOperand(1), m_APInt(s.word))) s.of = i->getOperand(0);
  return s;
}

/// The field that a number is.
std::optional<Field> fieldOf(V number) {
  Field f;
  if (const Step right = stepOf(number, Instruction::AShr)) {
    f.word = right.of, f.at = right.shift(), f.bits = kWordBits - f.at, f.isSigned = true;
    const Step left = stepOf(f.word, Instruction::Shl);
    if (left && left.shift() <= f.at && f.word->hasOneUse()) f.word = left.of, f.at -= left.shift();
  } else if (const Step down = stepOf(number, Instruction::LShr)) {
    f.word = down.of, f.at = down.shift(), f.bits = kWordBits - f.at;
  } else if (const Step mask = stepOf(number, Instruction::And); mask && mask.word->isMask()) {
    f.word = mask.of, f.bits = mask.word->countr_one();
    const Step before = stepOf(f.word, Instruction::LShr);
    if (before && f.word->hasOneUse())
      f.word = before.of, f.at = before.shift(), f.bits = std::min(f.bits, kWordBits - f.at);
  }
  const bool fits = f.word && llvm::isa<Instruction>(f.word) && f.bits && f.bits <= kMostBits;
  return fits ? std::optional(f) : std::nullopt;
}

/// The field that becomes a float.
std::optional<Field> fieldIn(Instruction& result) {
  V number = result.getOperand(0);
  const bool toSigned = llvm::isa<llvm::SIToFPInst>(result);
  if (!number->getType()->isVectorTy() || !number->getType()->getScalarType()->isIntegerTy(kWordBits)) return {};
  if (!result.getType()->getScalarType()->isFloatTy() || !number->hasOneUse()) return {};
  Step sum = stepOf(number, Instruction::Add);
  if (!toSigned || (sum && !sum.of->hasOneUse())) sum = {};
  std::optional<Field> f = fieldOf(sum ? sum.of : number);
  if (!f || (f->isSigned && !toSigned)) return {};
  f->result = &result;
  if (sum) f->added = static_cast<double>(sum.word->getSExtValue());
  return std::abs(f->added) <= kMostAdded ? f : std::nullopt;
}

/// The sum of a field and a whole number where the field goes into nothing else; or the field itself.
Instruction* withSum(Field& f) {
  if (f.added != 0 || !f.result->hasOneUse()) return f.result;
  auto* sum = llvm::dyn_cast<llvm::BinaryOperator>(*f.result->user_begin());
  const llvm::APFloat* number = nullptr;
  if (!sum || sum->getOperand(0) != f.result || !match(sum->getOperand(1), m_APFloat(number))) return f.result;
  const bool less = sum->getOpcode() == Instruction::FSub;
  if (!less && sum->getOpcode() != Instruction::FAdd) return f.result;
  if (!number->isInteger() || number->isZero() || std::abs(number->convertToDouble()) > kMostAdded) return f.result;
  f.added = less ? -number->convertToDouble() : number->convertToDouble();
  return sum;
}

class Unpacking {
 public:
  void run(llvm::Function& function) {
    std::vector<Field> fields;
    for (llvm::BasicBlock& block : function)
      for (Instruction& i : block)
        if (llvm::isa<llvm::SIToFPInst>(i) || llvm::isa<llvm::UIToFPInst>(i))
          if (const std::optional<Field> f = fieldIn(i)) {
            fields.push_back(*f);
            ++shared_[{f->word, f->shifted()}].fields;
          }
    // The highest bits alone are one shift away from being a number.
    for (const Field& f : fields)
      if (!f.isTop() || shared_[{f.word, f.shifted()}].fields > 1) unpack(f);
  }

 private:
  V shifted(V word, uint32_t by) {
    if (!by) return word;
    V& known = shared_[{word, by}].shifted;
    if (known) return known;
    const llvm::BasicBlock::iterator place = *llvm::cast<Instruction>(word)->getInsertionPointAfterDef();
    IR ir(place->getParent(), place);
    return known = ir.CreateLShr(word, by);
  }

  void unpack(Field f) {
    const uint32_t by = f.shifted(), at = f.at - by;
    V word = shifted(f.word, by);
    Instruction* last = withSum(f);
    IR ir(f.result);
    const auto number = [&](uint32_t v) { return llvm::ConstantInt::get(word->getType(), v); };
    // With the top bit turned over, signed numbers are what they are above the lowest one.
    const uint32_t top = f.isSigned ? 1u << (f.bits - 1) : 0, exponent = kBias + kFractionBits - at;
    V bits = ir.CreateAnd(word, number(((1u << f.bits) - 1) << at));
    bits = ir.CreateXor(bits, number(exponent << kFractionBits | top << at));
    const double base = (1u << (kFractionBits - at)) + top;
    llvm::Type* floats = f.result->getType();
    V v = ir.CreateFSub(ir.CreateBitCast(bits, floats), llvm::ConstantFP::get(floats, base - f.added));
    last->replaceAllUsesWith(v);
    llvm::RecursivelyDeleteTriviallyDeadInstructions(last);
  }

  struct Shared {
    uint32_t fields = 0;
    V shifted = nullptr;
  };
  std::map<std::pair<V, uint32_t>, Shared> shared_;  ///< by word and shift
};

}  // namespace

void unpackAsFloats(llvm::Function& function) { Unpacking().run(function); }

}  // namespace etzel::native
