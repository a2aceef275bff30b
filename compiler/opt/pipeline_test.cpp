// The list of passes, and what their tests share.
#include "compiler/opt/pipeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "compiler/isa/assemble.h"
#include "compiler/isa/disassemble.h"
#include "compiler/isa/verify.h"
#include "compiler/opt/pass_test.h"

namespace etzel::opt {
namespace {

isa::Program read(const std::string& listing) {
  std::string text = listing;
  if (text.find(".const") == std::string::npos) text = ".const 0 1 0xffffffff 2\n" + text;
  if (text.find(".stage") == std::string::npos) text = ".stage fragment\n" + text;
  auto program = isa::assemble(text);
  EXPECT_TRUE(program.ok()) << program.error().message << "\n" << text;
  if (!program.ok()) return {};
  program->tempWords = (program->tempWords + 3) / 4 * 4;
  for (uint32_t word = 0; word < program->tempWords; word += 4) program->groups.push_back({word, 4});
  return std::move(*program);
}

/// Instructions and constants, without numbers and comments.
std::string bodyOf(const isa::Program& program) {
  std::istringstream lines(isa::disassemble(program));
  std::string body, line;
  while (std::getline(lines, line)) {
    line.resize(std::min(line.find("  ;"), line.size()));
    if (line.starts_with(".const"))
      body += line + "\n";
    else if (line.starts_with(" "))
      body += line.substr(std::min(line.size(), size_t{7})) + "\n";  // behind "%5zu  "
  }
  return body;
}

void expectValid(const isa::Program& program, const char* when) {
  const auto valid = isa::verify(program, isa::VerifyMode::VirtualRegisters);
  EXPECT_TRUE(valid.ok()) << when << ": " << valid.error().message;
}

TEST(Passes, HaveNamesOfTheirOwnAndASuiteOfTests) {
  std::set<std::string> names{"all", "lower", "allocate"}, suites;
  const testing::UnitTest& tests = *testing::UnitTest::GetInstance();
  for (int i = 0; i < tests.total_test_suite_count(); ++i) suites.insert(tests.GetTestSuite(i)->name());
  for (const Pass& pass : passes()) {
    EXPECT_TRUE(names.insert(pass.name).second) << pass.name;
    EXPECT_TRUE(suites.contains(std::string(pass.id) + "Pass"))
        << "the pass " << pass.name << " has no tests: TEST(" << pass.id
        << "Pass, ...) with expectPass, beside its file";
  }
}

TEST(Passes, StepsNameReasonsThatRanBefore) {
  std::set<const Pass*> ran;
  for (const Step& step : steps()) {
    if (step.reason) {
      EXPECT_TRUE(ran.contains(step.reason)) << step.pass->name << " waits for " << step.reason->name;
    }
    ran.insert(step.pass);
  }
  for (const Pass& pass : passes()) EXPECT_TRUE(ran.contains(&pass)) << pass.name << " is no step";
}

TEST(Passes, RunInTheirOrder) {
  isa::Program program = read(
      "ldimm r0.x, #3\niadd.i32 r0.y, r0.x, c0.y\nxmov r1.x, r0.y\nimul.i32 r2.x, i0.x, r1.x\n"
      "imul.i32 r3.x, i0.x, r1.x\niadd.i32 o0.x, r2.x, r3.x\nif r3.y\nendif\n"
      ".stage vertex\n");
  ASSERT_TRUE(optimize(program).ok());
  EXPECT_EQ(bodyOf(program), normalized(".stage vertex\n.const 0 1 0xffffffff 2\n.const 3 4 0 0\n"
                                        "imul.i32 r2.x, i0.x, c1.y\niadd.i32 o0.x, r2.x, r2.x\n"));
}

}  // namespace

std::string normalized(const std::string& listing) { return bodyOf(read(listing)); }

bool expectPass(const std::string& name, const std::string& before, const std::string& after,
                const std::function<void(isa::Program&)>& prepare) {
  isa::Program program = read(before);
  if (prepare) prepare(program);
  expectValid(program, "before the pass");
  for (const Pass& pass : passes()) {
    if (name != pass.name) continue;
    const bool found = pass.run(program);
    expectValid(program, "after the pass");
    EXPECT_EQ(bodyOf(program), normalized(after));
    return found;
  }
  ADD_FAILURE() << "no pass is called " << name;
  return false;
}

}  // namespace etzel::opt
