// Events of a pixel's history (icd/debug/history.h) as text.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace etzel_tools {

using Json = nlohmann::json;

/// Numbers that JSON has no words for come as strings (infinities, NaNs).
std::string numberOf(const Json& number);
/// Components: "(0.5, 1)", or one number by itself.
std::string tuple(const Json& components);

/// "color 0" of what a shader gave, and where that goes if that is another attachment: "color 0 to color 1".
std::string locationName(const Json& color);

/// Whether a draw's event has to say which instance it is of: there are several, or the first is not 0.
bool isInstanced(const Json& draw);
/// "primitive 3", and where isInstanced() "primitive 3, instance 2".
std::string primitiveName(const Json& draw);

/// An event as lines of text. `sample`: of that one alone. Throws Json::exception where it is none.
std::string eventText(const Json& event, std::optional<unsigned> sample);

}  // namespace etzel_tools
