// SPIR-V to ISA over virtual registers. The Lowerer walks one entry point with all its functions inlined; every file
// of this folder handles one family of instructions and programs against this class.
//
// Values are flattened: each SPIR-V id has a list of scalar components in memory order (vector components, matrix
// columns, array elements, struct members), each an operand. A component takes one 32-bit word (bool 0 / ~0; 8 and 16
// bits zero-extended) or two (64 bits). Components of opaque types are descriptor handles: image {h}, sampler {h},
// sampled image {image handle, sampler handle}. Operands of a value never change after setResult().
// Used by one thread per Lowerer.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "compiler/isa/builder.h"
#include "compiler/isa/shadow.h"
#include "compiler/lower/debug_record.h"
#include "compiler/spirv/module.h"

namespace etzel::lower {

using isa::Opcode;
using isa::Operand;
using spirv::TypeKind;

/// How offsets inside a memory object follow from its type.
enum class Layout : uint8_t {
  Explicit,  ///< Offset, ArrayStride, MatrixStride decorations; bytes
  Natural,   ///< our own: scalars aligned to their size, no other padding (Workgroup); bytes
  Words,     ///< flattened components, 32-bit words, in bytes (scratch)
};

/// What makes one flattened component of an interface variable.
struct IoComponent {
  enum class Kind : uint8_t {
    Word,          ///< a word of the variable's bank or record
    System,        ///< a SysValue
    Special,       ///< a builtin computed from others
    Interpolated,  ///< fragment input, record word
    Flat,          ///< fragment input of the provoking vertex, record word
  } kind = Kind::Word;
  uint32_t word = 0;       ///< record, attribute or output word
  abi::SysValue system{};  ///< Kind::System
  isa::BaryMode bary = isa::BaryMode::Default;
  bool linear = false;  ///< NoPerspective
  spv::BuiltIn builtin = spv::BuiltIn::Max;
  uint32_t builtinComponent = 0;
};

/// A variable of any storage class. `slots` is set where components live in registers.
struct Variable {
  uint32_t id = 0, type = 0;
  spv::StorageClass storage = spv::StorageClass::Function;
  std::vector<Operand> slots;               ///< Function, Private: register per component
  std::vector<IoComponent> io;              ///< Input, Output: per flattened component (of one vertex when perVertex)
  isa::Space space = isa::Space::InRecord;  ///< Input, Output: where words are when they are not in a bank
  bool banked = false;                      ///< Input, Output: words are registers of the In or Out bank
  bool perVertex = false;                   ///< an array of vertices
  uint32_t vertices = 0;                    ///< its length
  bool hasScratchCopy = false;              ///< fragment inputs indexed dynamically: copied to scratch at the start
  uint32_t scratchCopy = 0;
  static constexpr uint32_t kNoHome = ~0u;
  uint32_t debugHome = kNoHome;  ///< debug compiles: where its words are kept as well (debug_record.h)
};

/// A pointer value while it is still known what it points into.
struct Pointer {
  enum class Kind : uint8_t {
    None,
    Register,  ///< components [first, first + components(type)) of *variable; interface variables: `offset` adds
               ///< words, `address` is the vertex index
    Memory,    ///< space/address/offset/imm below
    Resource,  ///< descriptor(s): resource + index; pointee is a block, an image, a sampler or an array of them
    Texel,     ///< OpImageTexelPointer: image + coords (+ sample)
  } kind = Kind::None;
  uint32_t type = 0;  ///< pointee type id
  spv::StorageClass storage = spv::StorageClass::Function;
  std::shared_ptr<Variable> variable;
  uint32_t first = 0;

  // Memory: an access is Ld/St/Atom with sub = space, src1 = address, src2 = offset, imm = imm.
  isa::Space space = isa::Space::Buffer;
  Layout layout = Layout::Explicit;
  Operand address;         ///< as the space's table says: spaces.def
  Operand offset;          ///< dynamic part, may be absent
  uint32_t imm = 0;        ///< constant part
  bool perVertex = false;  ///< Register: an array of vertices whose index was not chosen yet
  uint32_t matrixStride = 0,
           componentStride = 0;  ///< from the last member; componentStride: column of a row-major matrix
  bool rowMajor = false;
  bool coherent = false;

  // Resource
  uint32_t resource = 0;
  Operand index;  ///< dynamic array element, absent = constIndex
  uint32_t constIndex = 0;
  const compiler::DescriptorMapping* mapping = nullptr;  ///< where its descriptors lie instead (heap.cpp)

  // Descriptor heaps: Memory with Buffer's words, the bytes of a heap
  uint32_t heap = 0;  ///< the table that has its descriptors; 0: not in a heap

  // Texel
  uint32_t imageType = 0;
  std::vector<Operand> image;  ///< {handle}
  std::vector<Operand> coords;
  Operand sample;
};

/// A lowered id.
struct Value {
  uint32_t type = 0;
  std::vector<Operand> components;
  bool present = false;
};

/// Options and binding locations of the pipeline.
using compiler::BindingSlot;
using compiler::ShaderSource;
using compiler::SlotHolds;

class Lowerer {
 public:
  Lowerer(const spirv::Module& module, const ShaderSource& source, isa::Program& program, DebugRecord* debug = nullptr);
  /// Lowers the whole entry point into the program.
  Result<void> run();

  // --- What every file may use -------------------------------------------------------------------------------
  const spirv::Module& module;
  const ShaderSource& source;
  isa::Program& program;
  isa::Builder b;            ///< appends at the current place
  DebugRecord* const debug;  ///< of a debug compile, else null

  /// Records the first error; lowering goes on with zeros and run() returns it.
  void error(ErrorCode code, std::string message);
  void unsupported(const spirv::Instruction& inst, const char* why = "");
  bool failed() const { return error_.has_value(); }

  // Types
  const spirv::Type& type(uint32_t typeId) const { return module.type(typeId); }
  uint32_t typeOf(uint32_t id) const;  ///< type id of a value, constant or variable pointer
  const spirv::Type& typeOfValue(uint32_t id) const { return type(typeOf(id)); }
  uint32_t scalarTypeOf(uint32_t typeId) const;  ///< of a scalar, vector or matrix
  isa::Type isaType(uint32_t typeId) const;      ///< scalar type id (or a vector's element): I32 for bool
  uint32_t wordsOfScalar(uint32_t typeId) const { return isa::typeWords(isaType(typeId)); }
  uint32_t widthOf(uint32_t typeId) const;  ///< bits of the scalar (bool 32)
  /// Scalar type id of each flattened component.
  const std::vector<uint32_t>& scalarsOf(uint32_t typeId);

  // Values
  const std::vector<Operand>& components(uint32_t id);  ///< of a value or constant (materialized on demand)
  Operand componentOf(uint32_t id, uint32_t i);         ///< zero when past the end
  Operand scalar(uint32_t id) { return componentOf(id, 0); }
  bool constantU32(uint32_t id, uint32_t* value) const;  ///< scalar integer/bool constant, spec constants included
  uint32_t constantOr(uint32_t id, uint32_t otherwise) const {
    uint32_t v = otherwise;
    constantU32(id, &v);
    return v;
  }
  /// Binds the result of an instruction. One operand per flattened component of its type.
  void setResult(const spirv::Instruction& inst, std::vector<Operand> components);
  void setResult(const spirv::Instruction& inst, Operand scalar) { setResult(inst, std::vector<Operand>{scalar}); }

  // Operands
  Operand newTemp(uint32_t words = 1) { return program.newTemp(words); }
  Operand imm(uint32_t bits);  ///< constant word (PARAM bank, shared)
  Operand immF(float f) { return imm(std::bit_cast<uint32_t>(f)); }
  Operand imm64(uint64_t bits);  ///< two consecutive constant words
  Operand immOf(uint32_t scalarType, uint64_t bits) {
    return wordsOfScalar(scalarType) == 2 ? imm64(bits) : imm(uint32_t(bits));
  }
  /// Floating-point constant in the format of a scalar float type.
  Operand immFloat(uint32_t scalarType, double value);
  static Operand word(Operand o, uint32_t n) { return {o.bank, o.word + n}; }
  /// Words of `parts` (each `wordsEach`) as one consecutive run: themselves if they are one already, else copies.
  Operand consecutive(std::span<const Operand> parts, uint32_t wordsEach = 1);
  /// True when `words` words from `first` stay consecutive through register allocation: one virtual register, or a
  /// fixed bank.
  bool isOneRegister(Operand first, uint32_t words) const;
  /// Splits a run into single operands of `wordsEach` words.
  static std::vector<Operand> split(Operand first, uint32_t count, uint32_t wordsEach = 1);
  /// One component's op on every component of the operands: result[i] = op(a[i], b[i], c[i]).
  std::vector<Operand> map(Opcode op, isa::Type type, const std::vector<Operand>& a, const std::vector<Operand>& b = {},
                           const std::vector<Operand>& c = {}, uint8_t sub = 0);
  /// Converts an integer operand to 32 bits by its type's signedness (or low word of 64).
  Operand toWord(Operand o, uint32_t typeId);
  /// An integer as one of 64 bits.
  Operand toLong(Operand o, uint32_t typeId);

  // Pointers
  /// The pointer behind an id; for pointers that are plain values (variable or physical pointers) rebuilt from them.
  Pointer pointer(uint32_t id);
  /// The same, to access as `typeId` where it has no type of its own.
  Pointer pointerTo(uint32_t id, uint32_t typeId);
  /// What p points to taken for another type: bytes in memory, or an array of descriptors of blocks.
  Pointer retyped(const Pointer& p, uint32_t typeId);
  void setPointer(const spirv::Instruction& inst, Pointer p);
  std::vector<Operand> load(const Pointer& p);
  void store(const Pointer& p, const std::vector<Operand>& value);
  /// p advanced by one index (value id of an integer).
  Pointer index(const Pointer& p, uint32_t indexId);
  /// Buffer pointers to a block become Memory here; every other kind is returned unchanged.
  Pointer resolve(const Pointer& p);
  /// Descriptor handle of a Resource pointer: a constant for constant indices, else a Desc instruction.
  Operand descriptorHandle(const Pointer& p);

  // Descriptor heaps (heap.cpp)
  /// What maps a variable to heaps, or null.
  const compiler::DescriptorMapping* mappingOf(const spirv::Variable& v) const;
  /// Handle of a mapped Resource pointer; `samplers`: the sampler of a combined image sampler.
  Operand mappedHandle(const Pointer& p, bool samplers = false);
  /// Handle of the descriptor that a pointer into a heap points to.
  Operand heapHandle(const Pointer& p);

  /// Advances p by the index stride bytes at a time.
  void addOffset(Pointer* p, uint32_t indexId, uint64_t stride);
  /// Advances p by bytes, a number of 32 bits without a sign.
  void addBytes(Pointer* p, Operand bytes);
  /// Advances p by 64 bits of bytes, of which the upper half counts only where p has so many.
  void addLong(Pointer* p, Operand bytes);
  /// Advances p by the product of numbers of 32 bits without signs, which has as many bits as the shader asks for.
  void addProduct(Pointer* p, std::initializer_list<Operand> factors);
  /// Gives a pointer to a buffer 64 bits of offset, where the shader asks for that.
  void widenOffset(Pointer* p);
  /// Layout of types in memory, in bytes.
  uint64_t typeBytes(uint32_t typeId, Layout layout);
  uint32_t typeAlignment(uint32_t typeId);
  uint64_t memberOffset(uint32_t typeId, uint32_t member, Layout layout);
  /// Byte offset and scalar type of every component of a memory object like p, in component order.
  void leaves(const Pointer& p, uint32_t typeId, uint32_t offset, std::vector<std::pair<uint32_t, uint32_t>>* out);
  /// The registers or scratch of a variable of a function or of the invocation.
  Pointer declareLocal(const spirv::Variable& v);

  /// Execution mode RoundingModeRTZ for floats of `width` bits.
  bool roundsTowardZero(uint32_t width) const;

  // Fragment interpolation (interpolateAt*)
  /// Barycentrics (2 words) of a mode, computed once per program for modes without arguments.
  Operand barycentrics(isa::BaryMode mode, bool linear);
  /// The input behind `p` interpolated with barycentrics(linear) from the callback: one operand per component.
  /// Flat inputs are returned as they are.
  template <class F>
  std::vector<Operand> interpolate(const Pointer& p, F&& barycentricsFor) {
    Operand ij[2];
    bool made[2] = {false, false};
    return interpolateWith(p, [&](bool linear) {
      if (!made[linear]) ij[linear] = barycentricsFor(linear), made[linear] = true;
      return ij[linear];
    });
  }

  // Inputs and program facts
  Operand sys(abi::SysValue v) { return b.sys(v); }
  abi::Stage stage() const { return source.stage; }
  abi::ProgramInfo& info() { return program.info; }

  /// What a function is given for a parameter: where a pointer points to, or a value's components.
  struct Argument {
    Pointer pointer;
    std::vector<Operand> value;
  };
  /// Lowers a function of the module in place of a call by `inst`; what it returns, one operand per component.
  std::vector<Operand> inlineFunction(const spirv::Instruction& inst, uint32_t function,
                                      const std::vector<Argument>& arguments);

  /// Scratch memory of `words` words for the instruction that is being lowered: the first byte. Places of different
  /// `slot`s do not overlap, and every instruction may have all of them.
  uint32_t workingMemory(uint32_t slot, uint32_t words);

  // Control flow with labels: br() names the block it leaves, depths are computed at the end.
  uint32_t beginBlock();
  void endBlock(uint32_t block);
  void br(uint32_t block);
  void brIf(Operand cond, uint32_t block);

  /// Runs `f` with b appending to the program's prologue: values made there are valid everywhere.
  template <class F>
  auto inPrologue(F&& f) {
    if (inPrologue_) return f();
    inPrologue_ = true;
    std::swap(program.code, prologue_);
    auto result = f();
    std::swap(program.code, prologue_);
    inPrologue_ = false;
    return result;
  }

  std::vector<Operand> interpolateWith(const Pointer& p, const std::function<Operand(bool linear)>& barycentricsFor);

 private:
  /// Where a branch to a label goes while the construct that declares it is open.
  struct Exit {
    uint32_t label = 0, block = 0;  ///< SPIR-V label; block of beginBlock()
    Operand flag;                   ///< switch cases: set in lanes that fall through to the case
    bool reached = false;           ///< something branches there
  };
  /// A function being lowered in place of a call.
  struct Frame {
    const spirv::Function* function = nullptr;
    uint32_t returnBlock = 0;
    std::vector<Operand> result;
    uint32_t depth = 0;
  };

  // cfg.cpp: structured control flow
  void region(Frame& frame, uint32_t label, uint32_t fall, bool insideHeader = false);
  void blocks(Frame& frame, uint32_t label, uint32_t fall, bool insideHeader);
  void blockCode(Frame& frame, const spirv::Block& block);
  uint32_t openConstruct(uint32_t label);
  bool closeConstruct(uint32_t block);
  bool loop(Frame& frame, const spirv::Block& block);
  bool terminate(Frame& frame, const spirv::Block& block, uint32_t fall, uint32_t* next);
  bool conditional(Frame& frame, const spirv::Block& block, uint32_t fall, uint32_t* next);
  struct Switch;
  bool switchOver(Frame& frame, const spirv::Block& block, uint32_t fall, uint32_t* next);
  Switch readSwitch(const spirv::Block& block);
  bool fallsInto(const Frame& frame, Switch& s, uint32_t from, uint32_t to);
  void placeDefault(const Frame& frame, Switch& s);
  void chooseCases(Frame& frame, const spirv::Block& block, Switch& s);
  bool onlyCase(Frame& frame, const spirv::Block& block, const Switch& s, uint64_t selector, uint32_t* next);
  void edge(Frame& frame, uint32_t from, uint32_t to, uint32_t fall);
  void phiCopies(Frame& frame, uint32_t from, uint32_t to);
  bool hasPhis(const Frame& frame, uint32_t label) const;
  const std::vector<Operand>& phiRegisters(const spirv::Instruction& phi);
  Exit* findExit(uint32_t label);
  const spirv::Block* blockOf(const Frame& frame, uint32_t label) const;
  void leave(Exit& exit);
  void resolveBranches();
  void instruction(const spirv::Instruction& inst);
  void allowContraction(const spirv::Instruction& inst, size_t first);
  bool mayContract() const;
  void call(const spirv::Instruction& inst);

  // analysis.cpp: facts that are needed before the first instruction
  void analyse();
  void findEscapes(const spirv::Function& f);
  void findTables(const std::vector<uint32_t>& functions);

  // variables.cpp
  void declareInterfaces();
  Pointer declare(const spirv::Variable& v);
  uint32_t tableOf(uint32_t constantId);
  Pointer declareResource(const spirv::Variable& v);
  Pointer declareShared(const spirv::Variable& v);
  /// Whether workgroup memory is laid out by decorations: its variables are blocks (all of them or none).
  bool explicitShared() const;
  bool isAliasedShared(const spirv::Variable& v) const;  ///< a block of workgroup memory that shares its place
  void zeroShared();

  // debug_shadow.cpp: called where `debug` is set only
  bool isDebugInstruction(const spirv::Instruction& inst) const {
    const uint32_t set = inst.op == spv::Op::OpExtInst ? inst.operand(0) : 0;
    return set && (set == module.debugInfoSet || set == module.breakSet);
  }
  void debugSite(const spirv::Instruction& inst);
  /// What ends a construct stands in no line: whoever meets there need not have run what stands in front.
  void debugBetweenLines();
  uint32_t callSite();
  void debugInstruction(const spirv::Instruction& inst);
  void debugBreak();
  void debugResult(const spirv::Instruction& inst);
  void debugEnter(const spirv::Function& f);
  void debugLeave(const spirv::Instruction& call);
  void debugGlobals();
  void finishDebug();
  uint32_t newSite(DebugSite site);
  uint32_t newHome(uint32_t typeId);
  DebugPlace placeOf(const Pointer& p);
  void shadowSlots(const Variable& v, uint32_t first, uint32_t count);
  void shadowValue(uint32_t home, const std::vector<Operand>& value, uint32_t typeId);
  /// Runs `f`; what it emits are shadows.
  template <class F>
  void inShadow(F&& f) {
    const size_t first = program.code.size();
    f();
    for (size_t i = first; i < program.code.size(); ++i) isa::makeShadow(program.code[i]), ++shadows_;
  }

  // interface.cpp
  void declareInterface(const spirv::Variable& v);
  struct IoState;
  bool holdsWideScalars(uint32_t typeId);  ///< any of 64 bits
  void assignIo(Variable& v, uint32_t typeId, IoState& state);
  IoComponent builtinComponent(const Variable& v, spv::BuiltIn builtin, uint32_t component, const IoState& state);
  Operand specialBuiltin(const IoComponent& c);

  // interface_access.cpp
  std::vector<Operand> loadInterface(const Pointer& p);
  void storeInterface(const Pointer& p, const std::vector<Operand>& value);
  Operand readIo(const Variable& v, uint32_t component, uint32_t words);
  uint32_t scratchCopyOf(Variable& v);

  // program_info.cpp
  void fillInfo();
  void finishInfo();

  // pointer.cpp
  std::vector<Operand> pointerWords(const Pointer& p);

  const Value& valueOf(uint32_t id);

  bool contracts_ = false;
  std::vector<isa::Inst> prologue_;
  bool inPrologue_ = false;
  std::optional<Error> error_;
  std::unordered_map<uint32_t, Value> values_;
  std::unordered_map<uint32_t, Pointer> pointers_;
  std::unordered_map<uint32_t, std::vector<uint32_t>> scalars_;
  std::unordered_map<uint32_t, uint32_t> constantWords_;
  std::unordered_map<uint64_t, uint32_t> constantPairs_;
  std::unordered_map<uint32_t, const spirv::Variable*> moduleVariables_;
  std::unordered_set<uint32_t> dynamicIds_;               ///< variables and parameters indexed dynamically
  std::unordered_map<uint32_t, uint32_t> onlyValue_;      ///< local variables that never hold another constant: its id
  std::unordered_map<uint32_t, uint32_t> tables_;         ///< constants in the program's table: their first byte
  std::set<std::pair<uint32_t, uint32_t>> usedBuiltins_;  ///< interface variable, builtin that the code touches
  std::unordered_set<uint32_t> escapingIds_;              ///< defined in a loop, used outside of it
  std::unordered_map<uint32_t, uint32_t> typeOfId_;
  std::map<std::pair<int, bool>, Operand> barycentrics_;
  std::vector<Exit> exits_;
  std::vector<uint32_t> callStack_;
  std::vector<std::pair<uint32_t, uint32_t>> zeroedShared_;  ///< offset, bytes
  std::vector<std::pair<uint32_t, uint32_t>> working_;       ///< of workingMemory(): first byte, words
  uint32_t blockCount_ = 0, constantCount_ = 0, emitted_ = 0, sharedBytes_ = 0;
  uint64_t sharedDemand_ = 0;  ///< bytes of workgroup variables, without what lies between them
  /// Calls are inlined, so a few words can ask for any amount of code: the limit grows with the module.
  size_t instructionLimit_ = 0;
  uint32_t inputClips_ = 0, outputClips_ = 0;
  size_t shadows_ = 0;
  std::vector<uint32_t> debugFrames_;                              ///< open calls
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> debugValues_;  ///< DebugLocalVariable, frame: binding
};

/// The whole lowering. The program has virtual registers, structured control flow and a filled info.
/// `debug`: makes a debug compile and writes down what a debugger wants to know; the module was parsed with its debug
/// values.
Result<isa::Program> lowerModule(const spirv::Module& module, const ShaderSource& source, DebugRecord* debug = nullptr);

}  // namespace etzel::lower
