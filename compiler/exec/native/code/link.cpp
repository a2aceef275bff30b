// Lays out objects; what depends on the kind of host is in relocations.h.
#include "compiler/exec/native/code/link.h"

#include <llvm/BinaryFormat/ELF.h>
#include <llvm/Object/ELF.h>

#include <algorithm>
#include <cstring>

#include "compiler/exec/native/code/relocations.h"

namespace etzel::native {
namespace {

using File = llvm::object::ELF64LEFile;
using Section = File::Elf_Shdr;
using Symbol = File::Elf_Sym;

Error unsupported(const std::string& what) { return {ErrorCode::Unsupported, "machine code with " + what}; }
Error failed(llvm::Error error) { return unsupported(llvm::toString(std::move(error))); }

class Linker {
 public:
  explicit Linker(const File& file) : file_(file) {}

  Result<Image> run(const Functions& functions) {
    ETZEL_TRY(readTables());
    ETZEL_TRY(findImports());
    ETZEL_TRY(placeSections());
    addStubs();
    for (const Section& s : sections_)
      if (s.sh_type == llvm::ELF::SHT_RELA) ETZEL_TRY(relocate(s));
    image_.entry = find(functions.entry), image_.workgroup = find(functions.workgroup);
    image_.fragments = find(functions.fragments), image_.abreast = find(functions.abreast);
    if (image_.entry == Image::kNowhere) return unsupported("no entry");
    return std::move(image_);
  }

 private:
  static constexpr uint64_t kSlotBytes = 8;
  /// Where a section or symbol lies in the image, text or data.
  struct Place {
    enum { Nowhere, Text, Data } part = Nowhere;
    uint64_t offset = 0;
  };

  Result<void> readTables() {
    auto sections = file_.sections();
    if (!sections) return failed(sections.takeError());
    sections_ = *sections;
    for (const Section& s : sections_) {
      if (s.sh_type != llvm::ELF::SHT_SYMTAB) continue;
      auto symbols = file_.symbols(&s);
      if (!symbols) return failed(symbols.takeError());
      auto names = file_.getStringTableForSymtab(s);
      if (!names) return failed(names.takeError());
      symbols_ = *symbols, names_ = *names;
    }
    return {};
  }

  std::string nameOf(const Symbol& s) const {
    return names_.substr(s.st_name).take_until([](char c) { return !c; }).str();
  }

  Result<void> findImports() {
    const std::span<const char* const> known = importNames();
    slotOf_.resize(symbols_.size());
    for (size_t i = 1; i < symbols_.size(); ++i) {
      if (symbols_[i].st_shndx != llvm::ELF::SHN_UNDEF) continue;
      const std::string name = nameOf(symbols_[i]);
      const auto at = std::find(known.begin(), known.end(), name);
      if (at == known.end()) return unsupported("a call of " + name);
      slotOf_[i] = static_cast<uint32_t>(image_.imports.size());
      image_.imports.push_back(static_cast<uint32_t>(at - known.begin()));
    }
    image_.data.resize(kSlotBytes * image_.imports.size());
    return {};
  }

  Result<void> placeSections() {
    places_.resize(sections_.size());
    for (size_t i = 0; i < sections_.size(); ++i) {
      const Section& s = sections_[i];
      if (!(s.sh_flags & llvm::ELF::SHF_ALLOC) || !s.sh_size) continue;
      auto name = file_.getSectionName(s);
      if (!name) return failed(name.takeError());
      if (*name == ".eh_frame") continue;  // nothing unwinds through programs: their functions throw nothing
      if (s.sh_flags & llvm::ELF::SHF_WRITE || s.sh_type != llvm::ELF::SHT_PROGBITS)
        return unsupported("a section " + name->str());
      auto content = file_.getSectionContents(s);
      if (!content) return failed(content.takeError());
      const bool isText = s.sh_flags & llvm::ELF::SHF_EXECINSTR;
      std::vector<std::byte>& to = isText ? image_.text : image_.data;
      to.resize(alignUp<size_t>(to.size(), std::max<uint64_t>(s.sh_addralign, 1)), isText ? kTrap : std::byte{});
      places_[i] = {isText ? Place::Text : Place::Data, to.size()};
      const auto* bytes = reinterpret_cast<const std::byte*>(content->data());
      to.insert(to.end(), bytes, bytes + content->size());
    }
    return {};
  }

  /// A jump to what the slot of each import holds.
  void addStubs() {
    std::vector<std::byte>& text = image_.text;
    text.resize(alignUp<size_t>(text.size(), kStubBytes), kTrap);
    stubs_ = text.size();
    text.resize(stubs_ + kStubBytes * image_.imports.size(), kTrap);
    for (size_t i = 0; i < image_.imports.size(); ++i) {
      const uint64_t at = stubs_ + kStubBytes * i;
      writeStub(&text[at], at, image_.dataOffset() + kSlotBytes * i);
    }
  }

  uint64_t address(Place p) const { return p.part == Place::Data ? image_.dataOffset() + p.offset : p.offset; }

  Place placeOf(const Symbol& s) const {
    if (s.st_shndx == llvm::ELF::SHN_UNDEF || s.st_shndx >= places_.size()) return {};
    Place p = places_[s.st_shndx];
    p.offset += s.st_value;
    return p;
  }

  Result<void> relocate(const Section& list) {
    const Place target = list.sh_info < places_.size() ? places_[list.sh_info] : Place{};
    if (target.part == Place::Nowhere) return {};
    std::vector<std::byte>& bytes = target.part == Place::Text ? image_.text : image_.data;
    auto relocations = file_.relas(list);
    if (!relocations) return failed(relocations.takeError());
    for (const auto& r : *relocations) {
      const uint32_t index = r.getSymbol(false), type = r.getType(false);
      if (index >= symbols_.size()) return unsupported("a reference to nothing");
      const Symbol& symbol = symbols_[index];
      const bool isImport = index && symbol.st_shndx == llvm::ELF::SHN_UNDEF;
      const Place place = placeOf(symbol);
      if (!isImport && place.part == Place::Nowhere) return unsupported("a reference to what is left out");
      const uint64_t at = target.offset + r.r_offset;
      uint64_t to = 0;
      switch (meaningOf(type)) {
        case Reference::Place: to = isImport ? stubs_ + kStubBytes * slotOf_[index] : address(place); break;
        case Reference::Slot:
          if (!isImport) return unsupported("the address of a function of its own");
          to = image_.dataOffset() + kSlotBytes * slotOf_[index];
          break;
        case Reference::Unknown: return unsupported("relocations of type " + std::to_string(type));
      }
      if (at >= bytes.size() || !writeReference(type, std::span(bytes).subspan(at), address({target.part, at}),
                                                to + static_cast<uint64_t>(r.r_addend)))
        return unsupported("a reference that is too far");
    }
    return {};
  }

  uint32_t find(const std::string& name) const {
    for (const Symbol& s : symbols_)
      if (const Place p = placeOf(s); p.part == Place::Text && s.getType() == llvm::ELF::STT_FUNC && nameOf(s) == name)
        return static_cast<uint32_t>(p.offset);
    return Image::kNowhere;
  }

  const File& file_;
  llvm::ArrayRef<Section> sections_;
  llvm::ArrayRef<Symbol> symbols_;
  llvm::StringRef names_;
  std::vector<uint32_t> slotOf_;  ///< per symbol that is an import
  std::vector<Place> places_;     ///< per section
  uint64_t stubs_ = 0;            ///< where those in the text begin
  Image image_;
};

}  // namespace

Result<Image> linkObject(std::span<const char> object, const Functions& functions) {
  auto file = File::create({object.data(), object.size()});
  if (!file) return failed(file.takeError());
  return Linker(*file).run(functions);
}

}  // namespace etzel::native
