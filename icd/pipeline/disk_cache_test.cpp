// The cache on disk by itself: entries that are whole, damaged, another's; a folder that cannot be used; seals.
// tests/driver/disk_cache_test.cpp has what applications see of it.
#include "icd/pipeline/disk_cache.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "compiler/exec/tiers/tiers.h"
#include "compiler/isa/builder.h"
#include "compiler/isa/disassemble.h"
#include "icd/pipeline/cache_entry.h"

namespace etzel::icd {
namespace {

namespace fs = std::filesystem;

class DiskCacheTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!native::Hasher::available()) GTEST_SKIP() << "a build without LLVM";
    char path[] = "/tmp/etzel-cache-XXXXXX";
    folder_ = mkdtemp(path);
  }
  void TearDown() override {
    if (!folder_.empty()) fs::remove_all(folder_);
  }
  static std::shared_ptr<abi::Kernel> kernel(uint32_t number) {
    isa::Program program;
    isa::Builder(program).imm(number);
    program.groups.clear();
    auto made = compiler::makeKernel(std::move(program));
    EXPECT_TRUE(made.ok());
    return *made;
  }
  static std::string listing(const isa::Program& program) { return isa::disassemble(program); }
  /// The one file of the folder.
  fs::path file() const {
    fs::path only;
    for (const auto& e : fs::directory_iterator(folder_))
      if (e.path().extension() == ".etz") only = e.path();
    return only;
  }
  static std::string contentOf(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static void replace(const fs::path& path, const std::string& content) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
  }
  static constexpr DiskCache::Key kKey{std::byte(1), std::byte(2)};
  fs::path folder_;
};

TEST_F(DiskCacheTest, AProgramComesBackInAnotherLife) {
  {
    DiskCache cache(folder_);
    EXPECT_FALSE(cache.find(kKey));
    cache.keep(kKey, kernel(7), DiskCache::When::Soon);
  }
  DiskCache cache(folder_);
  const auto found = cache.find(kKey);
  ASSERT_TRUE(found);
  EXPECT_EQ(listing(found->program), listing(compiler::programOf(*kernel(7))));
  EXPECT_TRUE(found->code.empty());
  EXPECT_FALSE(cache.find({std::byte(9)}));
}

TEST_F(DiskCacheTest, OptimizedCodeComesBackWithIt) {
  const auto hot = kernel(7);
  tiers::Tiers::process().watch(hot, tiers::Policy::AtOnce);
  const exec::MachineCode* code = tiers::Tiers::optimizedCode(*hot);
  if (!code) GTEST_SKIP() << "no native executor on this host";
  DiskCache(folder_).keep(kKey, hot, DiskCache::When::Sometime);
  const auto found = DiskCache(folder_).find(kKey);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->code, code->save());
  EXPECT_TRUE(native::load(found->program, found->code).ok());
}

TEST_F(DiskCacheTest, DamageIsNoticedAndReplaced) {
  DiskCache(folder_).keep(kKey, kernel(7), DiskCache::When::Soon);
  const fs::path path = file();
  const std::string whole = contentOf(path);
  ASSERT_GT(whole.size(), 100u);
  for (size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 1 << i % 8);
    replace(path, damaged);
    EXPECT_FALSE(DiskCache(folder_).find(kKey)) << "byte " << i;
  }
  for (const size_t bytes : {size_t(0), size_t(1), size_t(87), whole.size() - 1}) {  // half-written
    replace(path, whole.substr(0, bytes));
    EXPECT_FALSE(DiskCache(folder_).find(kKey)) << bytes;
  }
  replace(path, whole + "x");
  EXPECT_FALSE(DiskCache(folder_).find(kKey));
  DiskCache(folder_).keep(kKey, kernel(8), DiskCache::When::Sometime);
  const auto found = DiskCache(folder_).find(kKey);
  ASSERT_TRUE(found);
  EXPECT_EQ(listing(found->program), listing(compiler::programOf(*kernel(8))));
}

// A file of another key, under this one's name.
TEST_F(DiskCacheTest, AnEntryIsForItsKeyAlone) {
  const std::vector<std::byte> entry = writeEntry({}, kKey);
  EXPECT_TRUE(readEntry(entry, kKey));
  EXPECT_FALSE(readEntry(entry, {std::byte(1)}));
  DiskCache(folder_).keep(kKey, kernel(7), DiskCache::When::Soon);
  const fs::path path = file();
  const std::string whole = contentOf(path);
  const DiskCache::Key other{std::byte(3)};
  DiskCache(folder_).keep(other, kernel(8), DiskCache::When::Sometime);
  for (const auto& e : fs::directory_iterator(folder_)) replace(e.path(), whole);
  EXPECT_TRUE(DiskCache(folder_).find(kKey));
  EXPECT_FALSE(DiskCache(folder_).find(other));
}

TEST_F(DiskCacheTest, WithoutAFolderThereIsNothingAndNoError) {
  DiskCache cache("/proc/nowhere");
  for (int i = 0; i < 10; ++i) cache.keep(kKey, kernel(7), DiskCache::When::Soon);
  cache.flush();
  EXPECT_FALSE(cache.find(kKey));
  EXPECT_FALSE(cache.seal({}));
}

TEST_F(DiskCacheTest, KeepingMayGoOnAfterAFlush) {
  DiskCache cache(folder_);
  for (uint8_t i = 0; i < 5; ++i) {
    cache.keep({std::byte(i)}, kernel(i), DiskCache::When::Sometime);
    cache.flush();
    EXPECT_TRUE(cache.find({std::byte(i)}));
  }
}

TEST_F(DiskCacheTest, SealsAreTheUsersAndOfTheseBytes) {
  const std::byte bytes[3] = {std::byte(1), std::byte(2), std::byte(3)};
  const std::span<const std::byte> all(bytes), parts[] = {all.first(1), all.subspan(1)},
                                               others[] = {all.first(2), all.subspan(2)};
  const auto seal = DiskCache(folder_).seal(parts);
  ASSERT_TRUE(seal);
  EXPECT_EQ(DiskCache(folder_).seal(parts), seal);  // another process
  EXPECT_NE(DiskCache(folder_).seal(others), seal);
  struct stat s;
  ASSERT_EQ(stat((folder_ / "secret.keep").c_str(), &s), 0);
  EXPECT_EQ(s.st_mode & 0777, 0600u);
  fs::remove(folder_ / "secret.keep");
  EXPECT_NE(DiskCache(folder_).seal(parts), seal);  // another user
}

TEST(DiskCacheKey, DependsOnEverythingThatTheCompilerSees) {
  if (!native::Hasher::available()) GTEST_SKIP() << "a build without LLVM";
  const uint32_t words[] = {1, 2, 3};
  compiler::ShaderSource s;
  s.spirv = words;
  const DiskCache::Key plain = DiskCache::keyOf(s);
  EXPECT_EQ(DiskCache::keyOf(s), plain);
  const auto changed = [&](auto change) {
    compiler::ShaderSource other = s;
    change(other);
    return DiskCache::keyOf(other) != plain;
  };
  EXPECT_TRUE(changed([](auto& o) { o.stage = abi::Stage::Vertex; }));
  EXPECT_TRUE(changed([](auto& o) { o.entryPoint = "other"; }));
  EXPECT_TRUE(changed([](auto& o) { o.robust = false; }));
  EXPECT_TRUE(changed([](auto& o) { o.validate = false; }));
  EXPECT_TRUE(changed([](auto& o) { o.requiredSubgroupSize = 4; }));
  EXPECT_TRUE(changed([](auto& o) { o.prints = true; }));
  EXPECT_TRUE(changed([](auto& o) { o.viewIndexFromDevice = true; }));
  EXPECT_TRUE(changed([](auto& o) { o.specialization[0] = {1}; }));
  EXPECT_TRUE(changed([](auto& o) { o.bindings[{0, 0}].byteOffset = 32; }));
  EXPECT_TRUE(changed([](auto& o) { o.bindings[{0, 0}].inlineUniform = true; }));
  EXPECT_TRUE(changed([](auto& o) { o.bindings[{0, 0}].holds = compiler::SlotHolds::Images; }));
  EXPECT_TRUE(changed([&](auto& o) { o.spirv = std::span(words).first(2); }));
}

}  // namespace
}  // namespace etzel::icd
