// Loops over the samples of pixels (analysis/sample_loops.h): the view's routine reads all samples before the first
// round, and what is made of a sample that shows what the one before shows in all pixels is left as it is.
#include <algorithm>
#include <cstddef>

#include "compiler/exec/native/emit/emitter.h"
#include "runtime/abi/kernel.h"

namespace etzel::native {

using abi::DirectView;
using abi::SampleTiles;
using abi::TexInst;
using isa::Inst;

/// Reads them. Comes before the Loop instruction.
void Emitter::beginSampleLoop(const SampleLoop& loop) {
  llvm::Type* i32 = ir_.getInt32Ty();
  LoopSamples samples;
  samples.loop = &loop;
  samples.same = ir_.getInt32(~0u);
  for (uint32_t i = 0; i < loop.images.size(); ++i) {
    const SampleLoop::Image& from = loop.images[i];
    SampledImage image;
    findTiles(image, from.handle);
    V exists = unlessShared(image.exists);
    llvm::BasicBlock* without = ir_.GetInsertBlock();
    llvm::BasicBlock* read = block("loopsamples");
    llvm::BasicBlock* done = block("samplesread");
    ir_.CreateCondBr(exists, read, done);
    enter(read);
    V there = field(image.direct, offsetof(DirectView, tiles) + offsetof(SampleTiles, samples), i32);
    V same = callSamples(image, {from.x, from.y}, ir_.getInt32(((1u << SampleTiles::kMaxSamples) - 1) | abi::kAskAlike),
                         samplesInMemory(loopBlocks_, i));
    read = ir_.GetInsertBlock();
    ir_.CreateBr(done);
    enter(done);
    const auto orNone = [&](V value) {
      llvm::PHINode* either = ir_.CreatePHI(i32, 2);
      either->addIncoming(value, read);
      either->addIncoming(ir_.getInt32(0), without);
      return either;
    };
    samples.count.push_back(orNone(there));
    samples.same = ir_.CreateAnd(samples.same, orNone(same));
  }
  if (loop.skipBegin != loop.skipEnd) {
    samples.last = loopSamples_.last ? loopSamples_.last : slot(i32, "sample");
    ir_.CreateStore(ir_.getInt32(~0u), samples.last);  // none: sample 0 is like none before
  }
  loopSamples_ = samples;
}

/// Whether instructions begin at index_ that may be skipped.
bool Emitter::skipsSamples() const {
  const SampleLoop* loop = loopSamples_.loop;
  if (!loop || index_ != loop->skipBegin || loop->skipBegin == loop->skipEnd) return false;
  // Words of a wide load are where the first of its loads has left them.
  return std::none_of(wideLoads_.begin(), wideLoads_.end(), [&](const WideLoad& w) {
    return w.loads.front() >= index_ && w.loads.front() < loop->skipEnd && w.loads.back() >= loop->skipEnd;
  });
}

/// The number of a fetch's sample, the same in all lanes.
llvm::Value* Emitter::sampleNumber(const Inst& fetch) {
  V number = word(fetch.src[1], TexInst::unpack(fetch.imm).argSample());
  return isVector(number) ? ir_.CreateExtractElement(number, uint64_t(0)) : number;
}

/// Those instructions: index_ is the last one then.
void Emitter::emitSkipped() {
  const SampleLoop& loop = *loopSamples_.loop;
  V sample = sampleNumber(program_.code[index_]);
  V next = ir_.CreateAdd(ir_.CreateLoad(ir_.getInt32Ty(), loopSamples_.last), ir_.getInt32(1));
  ir_.CreateStore(sample, loopSamples_.last);
  V bit = ir_.CreateLShr(loopSamples_.same, ir_.CreateAnd(sample, ir_.getInt32(31)));
  V skips = ir_.CreateAnd(ir_.CreateTrunc(bit, ir_.getInt1Ty()), ir_.CreateICmpEQ(sample, next));
  skips = ir_.CreateAnd(skips, ir_.CreateICmpULT(sample, ir_.getInt32(32)));
  llvm::BasicBlock* other = block("othersample");
  llvm::BasicBlock* done = block("sampledone");
  ir_.CreateCondBr(skips, done, other);
  enter(other);
  const uint32_t end = loop.skipEnd;
  emit(program_.code[index_]);
  for (++index_; index_ < end; ++index_) emitNext();
  --index_;
  jump(done);
  enter(done);
}

/// What a fetch of a loop over samples gives. \returns false where the instruction is none
bool Emitter::fetchOfLoop(const Inst& inst) {
  if (!loopSamples_.loop) return false;
  const auto& fetches = loopSamples_.loop->fetches;
  const auto f = std::find_if(fetches.begin(), fetches.end(), [&](const auto& fetch) { return fetch.at == index_; });
  if (f == fetches.end()) return false;
  V sample = sampleNumber(inst);
  llvm::BasicBlock* here = block("loopsample");
  llvm::BasicBlock* call = block("loopcall");
  llvm::BasicBlock* done = block("loopfetched");
  ir_.CreateCondBr(ir_.CreateICmpULT(sample, loopSamples_.count[f->image]), here, call);
  enter(here);
  const std::vector<V> found = colorsInMemory(loopBlocks_[f->image], sample);
  ir_.CreateBr(done);
  elseByCall(inst, found, here, call, done);
  return true;
}

}  // namespace etzel::native
