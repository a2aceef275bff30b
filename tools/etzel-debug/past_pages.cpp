#include <algorithm>

#include "past_shader.h"
#include "tools/common/history_text.h"

namespace etzel_debug {
namespace {

using etzel_tools::numberOf;
using etzel_tools::tuple;

std::string sampleName(size_t s) { return "sample " + std::to_string(s); }

/// The samples of a mask, one after the other.
std::string samplesOf(unsigned mask) {
  std::string text;
  for (unsigned s = 0; s < 32; ++s)
    if (mask >> s & 1) text += (text.empty() ? "" : " ") + std::to_string(s);
  return text.empty() ? "none" : text;
}

void add(PastPage& page, const std::string& name, const std::string& value, std::vector<PastValue> parts = {}) {
  page.text.push_back(name + ": " + value);
  page.values.push_back({name, value, std::move(parts)});
}

/// What took a sample of a draw away; "kept", or "not covered".
std::string endOf(const Json& event, size_t s) {
  for (const Json& t : event["tests"])
    if (t["sample"] == s) return t["end"];
  return "not covered";
}

PastPage coverage(const Json& e) {
  PastPage page{"coverage", {}, {}};
  add(page, "primitive", e["primitive"].dump() + (e.value("front", true) ? ", front" : ", back"));
  add(page, "covers", samplesOf(e["covered"]));
  for (size_t s = 0; s < e["samples"]; ++s) {
    std::string end = endOf(e, s);
    if (end == "depth" || end == "stencil" || end == "depth bounds") end = "covered, and fails a test";
    if (end == "kept") end = "covered, and kept";
    if (end == "alpha to coverage" && !e["shader"].empty() && !e["shader"][0]["colors"].empty())
      end += ": alpha " + numberOf(e["shader"][0]["colors"][0]["value"][3]) + " keeps fewer samples";
    add(page, sampleName(s), end);
  }
  if (e.contains("maskIn")) add(page, "gl_SampleMaskIn", samplesOf(e["maskIn"]));
  if (e.contains("centroid")) add(page, "centroid", e["centroid"]);
  for (const Json& r : e["shader"])
    for (const Json& c : r["colors"])
      add(page, "shader, color " + c["location"].dump() + " of " + samplesOf(r["samples"]), tuple(c["value"]));
  return page;
}

std::string depthVerdict(const Json& t) {
  if (t["end"] == "depth bounds")
    return numberOf(t["stored"]) + " is outside of [" + numberOf(t["bounds"][0]) + ", " + numberOf(t["bounds"][1]) +
           "]";
  if (!t.contains("depth")) return {};
  return numberOf(t["depth"]) + " " + t["compare"].get<std::string>() + " " + numberOf(t["stored"]) +
         (t["passes"].get<bool>() ? " passes" : " fails");
}

std::string stencilVerdict(const Json& t) {
  if (!t.contains("stencilReference")) return {};
  return "stencil " + t["stencilReference"].dump() + " " + t["stencilCompare"].get<std::string>() + " " +
         t["stencilStored"].dump() + (t["stencilPasses"].get<bool>() ? " passes" : " fails") + ", " +
         t["stencilOp"].get<std::string>();
}

/// Depth first, but for a stencil that fails, which comes before it.
PastPage tests(const Json& e) {
  PastPage page{
      std::string("depth and stencil, ") + (e["earlyTests"].get<bool>() ? "before" : "behind") + " the shader", {}, {}};
  for (const Json& t : e["tests"]) {
    const std::string depth = depthVerdict(t), stencil = stencilVerdict(t);
    if (depth.empty() && stencil.empty()) continue;
    std::vector<PastValue> parts;
    for (const char* name : {"depth", "stored", "depthCode", "storedCode", "stencilReference", "stencilStored"})
      if (t.contains(name)) parts.push_back({name, numberOf(t[name]), {}});
    std::string verdict = depth + (depth.empty() || stencil.empty() ? "" : "; ") + stencil;
    if (t["end"] != "kept") verdict += "; what was there stays";
    add(page, sampleName(t["sample"]), verdict, std::move(parts));
  }
  if (page.text.empty()) add(page, "tests", "none is on, or nothing came to them");
  return page;
}

const Json* fragmentsOf(const Json& image, const char* when) {
  const auto found = image.find(when);
  return found == image.end() ? nullptr : &*found;
}

PastPage written(const Json& image) {
  PastPage page{image.contains("blend") ? "blend, " : "write, ", {}, {}};
  page.name += image.value("attachment", "") + ", " + image["image"].get<std::string>();
  if (image.contains("blend")) add(page, "equation", image["blend"]), add(page, "alpha", image["blendAlpha"]);
  if (image.contains("notWritten")) add(page, "not written", image["notWritten"]);
  const Json &before = image["before"], &after = image["after"];
  const Json* fragments = fragmentsOf(image, "fragmentsAfter");
  for (size_t s = 0; s < before.size(); ++s) {
    std::string value = tuple(before[s]) + (before[s] == after[s] ? " stays" : " becomes " + tuple(after[s]));
    if (fragments) value += ", fragment " + (*fragments)[s].dump();
    add(page, before.size() == 1 ? "value" : sampleName(s), value);
  }
  return page;
}

/// Slots that were made, freed, or are shown by other samples than before.
PastPage mask(const Json& image) {
  PastPage page{"fragment mask, " + image.value("attachment", ""), {}, {}};
  const Json &before = image["fragmentsBefore"], &after = image["fragmentsAfter"];
  for (unsigned f = 0; f < before.size(); ++f) {
    unsigned was = 0, is = 0;
    for (unsigned s = 0; s < before.size(); ++s)
      was |= unsigned(before[s] == f) << s, is |= unsigned(after[s] == f) << s;
    if (!was && !is) continue;
    std::string what = !was        ? "made for "
                       : !is       ? "freed, was of "
                       : was == is ? "of "
                                   : "of " + samplesOf(was) + ", now of ";
    add(page, "fragment " + std::to_string(f), what + samplesOf(is ? is : was));
  }
  return page;
}

PastPage tile(const Json& images) {
  PastPage page{"tile", {}, {}};
  for (const Json& image : images) {
    if (!image.contains("tileAfter")) continue;
    const std::string was = image["tileBefore"], is = image["tileAfter"];
    add(page, image.value("attachment", ""), was == is ? is : was + " becomes " + is);
  }
  return page;
}

PastPage resolve(const Json& e) {
  PastPage page{"resolve", {}, {}};
  const Json& image = e["images"][0];
  add(page, "mode", e["mode"]);
  for (size_t s = 0; s < e["source"].size(); ++s) add(page, sampleName(s), tuple(e["source"][s]));
  add(page, image["image"], tuple(image["before"][0]) + " becomes " + tuple(image["after"][0]));
  return page;
}

}  // namespace

std::string titleOf(const Json& e) {
  if (e["event"] == "resolve") return "resolve of " + e["from"].get<std::string>();
  std::string text = "draw " + e["draw"].dump();
  if (e.contains("pipeline")) text += " \"" + e["pipeline"].get<std::string>() + "\"";
  return text + ", primitive " + e["primitive"].dump();
}

std::vector<PastValue> pixelOf(const Json& events) {
  std::vector<PastValue> all;
  PastValue told{"events", std::to_string(events.size()), {}};
  for (const Json& e : events) {
    const std::string event = e["event"];
    std::string what = event == "draw" || event == "resolve" ? titleOf(e) : e.value("command", event);
    if (event == "draw") what += " keeps " + samplesOf(e["kept"]);
    told.parts.push_back({"#" + e["number"].dump(), what, {}});
    for (const Json& image : e["images"]) {
      const std::string attachment = image.value("attachment", "");
      const std::string name = (attachment.empty() ? "" : attachment + ", ") + image["image"].get<std::string>();
      auto held = std::find_if(all.begin(), all.end(), [&](const PastValue& v) { return v.name == name; });
      if (held == all.end()) held = all.insert(held, {name, "", {}});
      const Json& after = image["after"];
      held->value = after.size() == 1 ? tuple(after[0]) : std::to_string(after.size()) + " samples";
      held->parts.clear();
      const Json* fragments = fragmentsOf(image, "fragmentsAfter");
      for (size_t s = 0; s < after.size() && after.size() > 1; ++s)
        held->parts.push_back(
            {sampleName(s), tuple(after[s]) + (fragments ? ", fragment " + (*fragments)[s].dump() : ""), {}});
    }
  }
  if (!events.empty()) all.push_back(std::move(told));
  return all;
}

std::vector<PastPage> pagesOf(const Json& e) {
  if (e["event"] == "resolve") return {resolve(e)};
  std::vector<PastPage> pages{coverage(e), tests(e)};
  for (const Json& image : e["images"]) pages.push_back(written(image));
  for (const Json& image : e["images"])
    if (image.contains("fragmentsAfter")) pages.push_back(mask(image));
  if (PastPage states = tile(e["images"]); !states.text.empty()) pages.push_back(std::move(states));
  return pages;
}

}  // namespace etzel_debug
