// The types of a random program's variables.
#include "compiler/debug/model/random_program.h"

namespace etzel::debugger::model {

using Kind = Type::Kind;

const Type* RandomProgram::add(Type type) {
  if (!type.isScalar()) type.words = 0;
  if (type.element) type.words = type.count * type.element->words;
  for (const Type::Member& m : type.members) type.words += m.type->words;
  types_.push_back(std::move(type));
  return &types_.back();
}

const Type* RandomProgram::scalar(Kind kind) const { return &types_[static_cast<size_t>(kind)]; }

const Type* RandomProgram::vector(Kind kind, uint32_t count) const {
  for (const Type& t : types_)
    if (t.kind == Kind::Vector && t.count == count && t.element->kind == kind) return &t;
  return nullptr;
}

void RandomProgram::makeTypes() {
  for (const char* name : {"bool", "int", "uint", "float"}) {
    Type t;
    t.kind = static_cast<Kind>(types_.size()), t.name = name;
    add(t);
  }
  const std::string prefixes[] = {"b", "i", "u", ""};
  for (const Kind kind : {Kind::Bool, Kind::Int, Kind::Uint, Kind::Float})
    for (uint32_t n = 2; n <= 4; ++n)
      add({Kind::Vector, prefixes[static_cast<size_t>(kind)] + "vec" + std::to_string(n), scalar(kind), n, {}, 1});
  for (uint32_t columns = 2; columns <= 4; ++columns)
    for (uint32_t rows = 2; rows <= 4; ++rows) {
      std::string name = "mat" + std::to_string(columns);
      if (rows != columns) name += "x" + std::to_string(rows);
      add({Kind::Matrix, name, vector(Kind::Float, rows), columns, {}, 1});
    }
  for (size_t i = 0; i < types_.size(); ++i)
    for (uint32_t often = types_[i].kind == Kind::Float                                 ? 8
                          : types_[i].kind == Kind::Int || types_[i].kind == Kind::Uint ? 4
                                                                                        : 1;
         often--;)
      choices_.push_back(&types_[i]);
  const auto array = [&](const Type* of, uint32_t count) {
    // The outer dimension stands first: float[2][3] has two elements.
    const size_t bracket = std::min(of->name.find('['), of->name.size());
    return add({Kind::Array,
                of->name.substr(0, bracket) + "[" + std::to_string(count) + "]" + of->name.substr(bracket),
                of,
                count,
                {},
                1});
  };
  for (uint32_t i = 0; i < 4; ++i) choices_.push_back(array(any(), 2 + below(3)));
  for (uint32_t i = 0; i < 2; ++i) {
    Type t;
    t.kind = Kind::Struct, t.name = fresh("S");
    line("struct " + t.name + " {");
    for (uint32_t m = 0, count = 2 + below(3); m < count; ++m) {
      t.members.push_back({fresh("m"), any()});
      line("  " + t.members.back().type->name + " " + t.members.back().name + ";");
    }
    line("};");
    choices_.push_back(add(std::move(t)));
    choices_.push_back(choices_.back());
  }
  choices_.push_back(array(choices_.back(), 2));
}

}  // namespace etzel::debugger::model
