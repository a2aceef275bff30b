#include "compiler/exec/native/native.h"

#include <llvm/Analysis/CGSCCPassManager.h>
#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/GVN.h>
#include <llvm/Transforms/Scalar/IndVarSimplify.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopRotation.h>
#include <llvm/Transforms/Scalar/LoopUnrollPass.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/Mem2Reg.h>

#include <algorithm>
#include <mutex>

#include "compiler/exec/native/analysis/pauses.h"
#include "compiler/exec/native/code/code.h"
#include "compiler/exec/native/code/link.h"
#include "compiler/exec/native/deferred_init.h"
#include "compiler/exec/native/emit/emitter.h"
#include "compiler/exec/native/emit/float_fields.h"
#include "compiler/exec/native/emit/guard.h"
#include "compiler/exec/native/emit/join_alike.h"
#include "compiler/exec/native/emit/multiples.h"

namespace etzel::native {
namespace {

/// Of a program with one of them, be it nop, the registers begin as zeros, and the handlers see to that.
bool hasBaseInstructions(const isa::Program& program) {
  return std::any_of(program.code.begin(), program.code.end(),
                     [](const isa::Inst& inst) { return !isa::isExtension(inst.op); });
}

Error noBaseInstructions() { return {ErrorCode::Unsupported, "base instructions have no LLVM form"}; }

class CompilerImpl : public Compiler {
 public:
  Result<void> start() {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    triple_ = llvm::sys::getProcessTriple();
    host_ = describeHost();
    machine_ = makeMachine();
    if (!machine_) return Error{ErrorCode::Unsupported, "no code generator for this host"};
    return {};
  }

  Result<std::shared_ptr<exec::MachineCode>> compile(const isa::Program& program) override {
    return compile(program, {}, nullptr);
  }

  Result<std::shared_ptr<exec::MachineCode>> compileBriefly(const isa::Program& program) override {
    BoundKinds kinds;
    kinds.later = true;
    return compile(program, kinds, nullptr);
  }

  Result<std::shared_ptr<exec::MachineCode>> compileBound(const isa::Program& program, const BoundKinds& kinds,
                                                          const abi::Executable& otherwise) override {
    return compile(program, kinds, &otherwise);
  }

  Result<std::string> listing(const isa::Program& program) override {
    if (hasBaseInstructions(program)) return noBaseInstructions();
    std::lock_guard lock(mutex_);
    llvm::LLVMContext context;
    Emitted emitted;
    auto module = emit(context, program, "kernel", {}, emitted, /*verify=*/true);
    if (!module) return module.error();
    std::string text;
    llvm::raw_string_ostream stream(text);
    (*module)->print(stream, nullptr);
    llvm::SmallVector<char, 0> assembly;
    generate(**module, llvm::CodeGenFileType::AssemblyFile, assembly);
    return stream.str() + std::string(assembly.begin(), assembly.end());
  }

 private:
  /// What is to know of emitted code.
  struct Emitted {
    std::vector<uint32_t> calls;  ///< instructions that call the interpreter
    uint32_t strands = 1;
  };

  /// `otherwise`: not null if there are `kinds`.
  Result<std::shared_ptr<exec::MachineCode>> compile(const isa::Program& program, const BoundKinds& kinds,
                                                     const abi::Executable* otherwise) {
    if (hasBaseInstructions(program)) return noBaseInstructions();
    std::lock_guard lock(mutex_);
    const std::string name = "kernel";
    llvm::LLVMContext context;
    Emitted emitted;
    auto module = emit(context, program, name, kinds, emitted);
    if (!module) return module.error();
    llvm::SmallVector<char, 0> bytes;
    generate(**module, llvm::CodeGenFileType::ObjectFile, bytes);
    auto image = linkObject(bytes, {name, name + kGroupSuffix, name + kFragmentsSuffix, name + kAbreastSuffix});
    if (!image) return image.error();
    image->steps = std::move(emitted.calls);
    image->strands = emitted.strands;
    return loadImage(*image, program, otherwise);
  }

  std::unique_ptr<llvm::TargetMachine> makeMachine() {
    std::string error;
    const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple_, error);
    if (!target) return nullptr;
    llvm::TargetOptions options;
    options.AllowFPOpFusion = llvm::FPOpFusion::Strict;  // the compiler decides what is fused, LLVM never
    return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
        triple_, host_.cpu, host_.features, options, llvm::Reloc::PIC_, llvm::CodeModel::Small,
        llvm::CodeGenOptLevel::Less,  // as fast code as the next level's, in less time
        /*JIT=*/true));
  }

  /// Where crowds of warps run side by side then, with barriers more than the program has. Not if instructions call the
  /// interpreter, which knows them by their number in the program.
  Result<std::unique_ptr<llvm::Module>> emit(llvm::LLVMContext& context, const isa::Program& program,
                                             const std::string& name, const BoundKinds& kinds, Emitted& emitted,
                                             bool verify = false) {
    if (const auto paused = hasCrowds(host_) ? withPauses(program) : std::nullopt) {
      auto module = emitModule(context, *paused, name, kinds, emitted, verify, /*crowdsOnly=*/true);
      if (!module || *module) return module;
      emitted = {};
    }
    return emitModule(context, program, name, kinds, emitted, verify);
  }

  /// Null where there are to be crowds and are none.
  Result<std::unique_ptr<llvm::Module>> emitModule(llvm::LLVMContext& context, const isa::Program& program,
                                                   const std::string& name, const BoundKinds& kinds, Emitted& emitted,
                                                   bool verify, bool crowdsOnly = false) {
    auto module = std::make_unique<llvm::Module>(name, context);
    module->setTargetTriple(triple_);
    module->setDataLayout(machine_->createDataLayout());
    Emitter emitter(*module, program, name, host_, kinds);
    if (crowdsOnly && !emitter.hasCrowds()) return std::unique_ptr<llvm::Module>();
    emitter.run();
    if (crowdsOnly && !emitter.interpreted().empty()) return std::unique_ptr<llvm::Module>();
    emitted.calls = emitter.interpreted();
    emitted.strands = emitter.strands();
    if (emitted.strands > 1)
      Emitter(*module, program, name, host_, kinds, Emitter::Warps::Abreast).run();
    else if (const Multiples multiples = emitter.multiples(); !multiples.empty())
      emitForMultiples(*module, program, name, kinds, multiples, emitted);
    else if (emitter.pairsBetweenBarriers())
      Emitter(*module, program, name, host_, kinds, Emitter::Warps::Pairs).run();
    if (!kinds.empty()) guard(*module, name, kinds);
    if (verify) {
      std::string problem;
      llvm::raw_string_ostream stream(problem);
      if (llvm::verifyModule(*module, &stream))
        return Error{ErrorCode::Unsupported, "invalid LLVM IR: " + stream.str()};
    }
    for (llvm::Function& f : *module) {
      f.addFnAttr("target-cpu", host_.cpu);
      f.addFnAttr("target-features", host_.features);
      f.addFnAttr("prefer-vector-width", "256");
    }
    const bool loops =
        emitter.runsFragments() || std::any_of(program.code.begin(), program.code.end(),
                                               [](const isa::Inst& inst) { return inst.op == isa::Opcode::Loop; });
    if (emitter.hasCrowds())
      if (llvm::Function* turns = module->getFunction(name + kTurnsSuffix)) leaveCold(*turns);
    optimize(*module, loops, emitter.endingLoops(), !kinds.empty());
    return module;
  }

  /// A function that hardly ever runs, as where the warps of a crowd are not at the same barrier: LLVM need not take
  /// long for it, since code that is often run waits for it.
  static void leaveCold(llvm::Function& function) {
    function.addFnAttr(llvm::Attribute::OptimizeNone);
    function.addFnAttr(llvm::Attribute::NoInline);  // which the other one asks for
  }

  /// A second function for push constants that are such multiples, and who asks which one is to run.
  void emitForMultiples(llvm::Module& module, const isa::Program& program, const std::string& name,
                        const BoundKinds& kinds, const Multiples& multiples, Emitted& emitted) {
    const std::string fast = name + kMultiplesSuffix;
    Emitter emitter(module, program, fast, host_, kinds, Emitter::Warps::One, multiples);
    emitter.run();
    if (emitter.pairsBetweenBarriers())
      Emitter(module, program, fast, host_, kinds, Emitter::Warps::Pairs, multiples).run();
    for (uint32_t i : emitter.interpreted())
      if (std::find(emitted.calls.begin(), emitted.calls.end(), i) == emitted.calls.end()) emitted.calls.push_back(i);
    askForMultiples(module, name, multiples);
  }

  /// `known`: there are branches on constants.
  void optimize(llvm::Module& module, bool hasLoops, bool unrolls, bool known) {
    llvm::LoopAnalysisManager loops;
    llvm::FunctionAnalysisManager functions;
    llvm::CGSCCAnalysisManager graph;
    llvm::ModuleAnalysisManager modules;
    llvm::PassBuilder builder(machine_.get());
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(graph);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, graph, modules);
    llvm::FunctionPassManager passes;
    if (known) passes.addPass(llvm::SimplifyCFGPass());
    passes.addPass(llvm::PromotePass());
    passes.addPass(llvm::EarlyCSEPass());
    passes.addPass(llvm::InstCombinePass());
    passes.addPass(llvm::SimplifyCFGPass());
    if (hasLoops) {
      // Rotated loops run their first round for certain, so what is invariant may move out.
      llvm::LoopPassManager rotated;
      rotated.addPass(llvm::LoopRotatePass(/*EnableHeaderDuplication=*/true, /*PrepareForLTO=*/false));
      rotated.addPass(llvm::LICMPass(llvm::LICMOptions()));
      passes.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(rotated), /*UseMemorySSA=*/true));
    }
    if (unrolls) {
      llvm::LoopPassManager full;
      full.addPass(llvm::IndVarSimplifyPass());
      full.addPass(llvm::LoopFullUnrollPass(/*OptLevel=*/2, /*OnlyWhenForced=*/false, /*ForgetSCEV=*/true));
      passes.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(full)));
    }
    if (hasLoops) {  // what the loop passes left; straight code is done
      passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
      passes.addPass(llvm::InstCombinePass());
    }
    llvm::FunctionPassManager few;
    few.addPass(llvm::PromotePass());
    few.addPass(llvm::EarlyCSEPass());
    for (llvm::Function& f : module)
      if (!f.isDeclaration()) (f.hasOptNone() ? few : passes).run(f, functions);
    if (host_.maskRegisters)
      for (llvm::Function& f : module) unpackAsFloats(f);
    if (hasPairs(host_))
      for (llvm::Function& f : module)
        if (!f.hasOptNone()) joinAlike(f);
  }

  void generate(llvm::Module& module, llvm::CodeGenFileType kind, llvm::SmallVectorImpl<char>& bytes) {
    llvm::raw_svector_ostream stream(bytes);
    llvm::legacy::PassManager passes;
    machine_->addPassesToEmitFile(passes, stream, nullptr, kind);
    passes.run(module);
  }

  std::mutex mutex_;
  std::unique_ptr<llvm::TargetMachine> machine_;
  std::string triple_;
  Host host_;
};

}  // namespace

Result<std::shared_ptr<exec::MachineCode>> load(const isa::Program& program, std::span<const std::byte> saved) {
  auto image = readImage(saved);
  if (!image) return image.error();
  return loadImage(*image, program);
}

std::unique_ptr<Compiler> Compiler::create() {
  initializeLlvm();
  auto jit = std::make_unique<CompilerImpl>();
  if (!jit->start()) return nullptr;
  return jit;
}

}  // namespace etzel::native
