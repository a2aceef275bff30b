// A fragment behind its shader, page by page: what an event of the pixel's history (docs/inspect.md) says about
// coverage, tests, blending, the fragment mask, the tile, or about a resolve, as frames with variables and as text.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace etzel_debug {

using Json = nlohmann::json;

/// A value with parts, as the Variables view shows it.
struct PastValue {
  std::string name, value;
  std::vector<PastValue> parts;
};

struct PastPage {
  std::string name;               ///< "depth and stencil"
  std::vector<std::string> text;  ///< lines that explain it
  std::vector<PastValue> values;
};

/// The pages of an event, in the order of "Fragment Operations". Throws Json::exception where it is none.
std::vector<PastPage> pagesOf(const Json& event);
/// What the pixel of a history holds by now, attachment by attachment, and its events.
std::vector<PastValue> pixelOf(const Json& events);
/// "draw 2, primitive 0"
std::string titleOf(const Json& event);

}  // namespace etzel_debug
