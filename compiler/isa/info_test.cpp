// What the columns of the tables promise one another.
#include "compiler/isa/info.h"

#include <gtest/gtest.h>

#include <bit>
#include <set>

namespace etzel::isa {
namespace {

template <class F>
void forEachExtension(F&& f) {
  for (uint32_t n = 0; n < 256; ++n) {
    const OpInfo& info = opInfo(static_cast<Opcode>(n));
    if (info.name && info.extension) {
      SCOPED_TRACE(info.name);
      f(info);
    }
  }
}

TEST(InstructionTable, WhatIsMergedHasAResultAndNoEffect) {
  forEachExtension([](const OpInfo& info) {
    if (info.merge == Merge::No) return;
    EXPECT_NE(info.dst, OperandShape::None);
    EXPECT_TRUE(info.effect == Effect::None || info.effect == Effect::ByImm);
    EXPECT_EQ(info.merge == Merge::BySpace, info.sub == SubKind::Space);
  });
}

TEST(InstructionTable, WhatTheActiveLanesAgreeOnIsNeverMerged) {
  // Which lanes are active may have changed in between; what the vertex gives to all of a primitive stays.
  forEachExtension([](const OpInfo& info) {
    if (info.lanes == Lanes::Alike && info.srcCount) {
      EXPECT_EQ(info.merge, Merge::No);
    }
  });
}

TEST(InstructionTable, ResultsAndOnlyResultsHaveLanes) {
  forEachExtension([](const OpInfo& info) {
    EXPECT_EQ(info.lanes == Lanes::None, info.dst == OperandShape::None);
    if (info.lanes == Lanes::BySpace) {
      EXPECT_EQ(info.sub, SubKind::Space);
    }
    if (info.lanes == Lanes::Copy) {
      EXPECT_EQ(info.samples, Samples::Copy);
    }
  });
}

TEST(InstructionTable, InvocationsThatStandForSeveralSamplesStoreNothingAndLookAtNobody) {
  forEachExtension([](const OpInfo& info) {
    if (info.samples == Samples::Never || info.samples == Samples::ByImage) return;
    EXPECT_FALSE(info.quad);
    EXPECT_FALSE(info.lanes == Lanes::Alike && info.srcCount);
    // Where lanes go, and whether they are discarded, may follow the texels.
    const bool allowed = info.effect == Effect::None || info.effect == Effect::Flow || info.effect == Effect::Kill ||
                         info.effect == Effect::Demote;
    EXPECT_TRUE(allowed || (info.effect == Effect::Store && info.samples == Samples::BySpace));
  });
}

TEST(InstructionTable, WhatIsComputedWhileCompilingIsAFunctionOfItsOperands) {
  for (uint32_t n = 0; n < 256; ++n) {
    const Opcode op = static_cast<Opcode>(n);
    const OpInfo& info = opInfo(op);
    if (!info.name || !isArithmetic(op)) continue;
    SCOPED_TRACE(info.name);
    EXPECT_EQ(info.effect, Effect::None);
    EXPECT_EQ(info.lanes, Lanes::Follow);
    EXPECT_EQ(info.merge, Merge::Yes);
    EXPECT_FALSE(info.memory || info.immediate || info.quad);
    EXPECT_TRUE(info.samples == Samples::Same || info.samples == Samples::Floor);
  }
}

TEST(InstructionTable, StoresNameTheirSpaceAndControlFlowIsTranslatedAsSuch) {
  forEachExtension([](const OpInfo& info) {
    if (info.effect == Effect::Store) {
      EXPECT_EQ(info.sub, SubKind::Space);
    }
    EXPECT_EQ(info.control, info.native == Native::Flow);
    EXPECT_FALSE(info.control && info.dst != OperandShape::None);
    EXPECT_EQ(info.memory && info.native != Native::Texture && info.sub != SubKind::Sampler,
              info.sub == SubKind::Space);
  });
}

TEST(InstructionTable, ControlFlowIsWhatTheWalksOverItKnow) {
  // Scopes are walked by name: verifier, live ranges, divergence, webs, barriers, decoder, both emitters.
  const std::set<Opcode> known = {Opcode::If,       Opcode::Else, Opcode::EndIf,   Opcode::Block,
                                  Opcode::EndBlock, Opcode::Loop, Opcode::EndLoop, Opcode::Br,
                                  Opcode::BrC,      Opcode::Ret,  Opcode::Kill,    Opcode::Barrier};
  for (uint32_t n = 0; n < 256; ++n)
    if (opInfo(static_cast<Opcode>(n)).control) {
      EXPECT_TRUE(known.contains(static_cast<Opcode>(n)))
          << opInfo(static_cast<Opcode>(n)).name << ": teach every walk (grep EndLoop), then add it here";
    }
}

TEST(InstructionTable, RowsHaveTypesUniqueNamesAndShapesTheTextCanSay) {
  std::set<std::string> names;
  for (uint32_t n = 0; n < 256; ++n) {
    const OpInfo& info = opInfo(static_cast<Opcode>(n));
    if (!info.name) continue;
    SCOPED_TRACE(info.name);
    EXPECT_TRUE(names.insert(info.mnemonic).second);
    EXPECT_EQ(info.extension, isExtension(static_cast<Opcode>(n)));
    if (!info.extension) continue;
    EXPECT_NE(info.typeMask, 0);
    EXPECT_EQ(info.atomic, (info.src[2] == OperandShape::Element && info.sub == SubKind::Space));
    for (uint32_t i = info.srcCount; i < 3; ++i) EXPECT_EQ(info.src[i], OperandShape::None);
    if (info.boolean) {
      EXPECT_EQ(info.dst, OperandShape::One);
    }
  }
}

TEST(SubOperations, InverseComparisonsComeInPairs) {
  for (uint32_t n = 0; n < subCount(SubKind::CmpF); ++n) {
    const CmpF c = static_cast<CmpF>(n);
    EXPECT_NE(inverse(c), c);
    EXPECT_EQ(inverse(inverse(c)), c) << subNameOf(SubKind::CmpF, n);
  }
  for (uint32_t n = 0; n < subCount(SubKind::CmpI); ++n)
    EXPECT_EQ(inverse(inverse(static_cast<CmpI>(n))), static_cast<CmpI>(n)) << subNameOf(SubKind::CmpI, n);
}

TEST(SubOperations, SpacesPromiseNothingThatStoresBreak) {
  for (uint32_t n = 0; n < subCount(SubKind::Space); ++n) {
    const SpaceInfo& s = spaceInfo(static_cast<Space>(n));
    SCOPED_TRACE(s.text);
    if (s.constant) {
      EXPECT_EQ(s.access, SpaceInfo::Access::Load);
    }
    if (s.constant) {
      EXPECT_TRUE(s.uniform);
    }
    if (s.reach != SpaceInfo::Reach::Lane) {
      EXPECT_NE(s.access, SpaceInfo::Access::Load);
    }
    if (s.access == SpaceInfo::Access::Atomic) {
      EXPECT_NE(s.reach, SpaceInfo::Reach::Lane);
    }
  }
}

TEST(SubOperations, NamesOfAKindDiffer) {
  for (SubKind kind : {SubKind::CmpF, SubKind::CmpI, SubKind::Space, SubKind::Reduce, SubKind::SourceType,
                       SubKind::Bary, SubKind::PixLd}) {
    std::set<std::string> names;
    for (uint32_t n = 0; n < subCount(kind); ++n) EXPECT_TRUE(names.insert(subNameOf(kind, n)).second);
    EXPECT_STREQ(subNameOf(kind, subCount(kind)), "?");
  }
}

TEST(SystemValues, AFragmentsOwnBelongToNoOtherStage) {
  using abi::SysFragments, abi::SysLanes;
  uint64_t seen = 0;
  for (SysFragments f : {SysFragments::None, SysFragments::Primitive, SysFragments::Pixel, SysFragments::Place,
                         SysFragments::Corner, SysFragments::Sample, SysFragments::Fragment}) {
    EXPECT_EQ(seen & abi::sysValuesOf(f), 0u);
    seen |= abi::sysValuesOf(f);
  }
  EXPECT_EQ(std::popcount(seen), static_cast<int>(abi::kSysValueCount));
  for (const abi::SysValueInfo& v : abi::kSysValues)
    if (v.lanes != SysLanes::Any) {
      EXPECT_EQ(v.fragments, SysFragments::None) << v.name;
    }
}

}  // namespace
}  // namespace etzel::isa
