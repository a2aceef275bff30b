// Events of a pixel's history (icd/debug/history.h) as text.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace inspect {

using Json = nlohmann::json;

/// An event as lines of text. `sample`: of that one alone. Throws Json::exception where it is none.
std::string eventText(const Json& event, std::optional<unsigned> sample);

}  // namespace inspect
