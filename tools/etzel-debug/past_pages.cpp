#include <algorithm>

#include "past_shader.h"
#include "tools/common/history_text.h"

namespace etzel_debug {
namespace {

using etzel_tools::numberOf;
using etzel_tools::tuple;

constexpr size_t kMostSamples = 32;

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
  for (const Json& t : event.at("tests"))
    if (t.at("sample") == s) return t.at("end");
  return "not covered";
}

bool isTest(const std::string& end) { return end == "depth" || end == "stencil" || end == "depth bounds"; }

/// "0 1 2 3 becomes 0 2": the samples that came to alpha to coverage, and those that it left.
std::string byAlpha(const Json& e) {
  unsigned taken = 0, left = 0;
  for (const Json& t : e.at("tests")) {
    const std::string end = t.at("end");
    const unsigned bit = 1u << t.at("sample").get<unsigned>() % 32;
    if (end == "alpha to coverage") taken |= bit;
    // Tests behind the shader are behind this, too.
    if (end == "kept" || (isTest(end) && !e.at("earlyTests").get<bool>())) left |= bit;
  }
  return samplesOf(taken | left) + " becomes " + samplesOf(left);
}

/// What the shader was given of the mask, and what it gave back.
void addMasks(PastPage& page, const Json& e) {
  if (e.at("shader").empty()) return;
  if (e.value("perSample", false))
    for (const char* name : {"gl_SampleMaskIn", "centroid"}) add(page, name, "of each invocation its own sample");
  if (e.contains("maskIn")) add(page, "gl_SampleMaskIn", samplesOf(e.at("maskIn")));
  if (e.contains("centroid")) add(page, "centroid", e.at("centroid"));
  for (const Json& r : e.at("shader"))
    if (r.contains("sampleMask"))
      add(page, "gl_SampleMask of " + samplesOf(r.at("samples")), samplesOf(r["sampleMask"]));
  if (e.value("alphaToCoverage", false)) add(page, "alpha to coverage", byAlpha(e));
}

PastPage coverage(const Json& e) {
  PastPage page{"coverage", {}, {}};
  add(page, "primitive", e.at("primitive").dump() + (e.value("front", true) ? ", front" : ", back"));
  if (etzel_tools::isInstanced(e)) add(page, "instance", e.at("instance").dump());
  add(page, "covers", samplesOf(e.at("covered")));
  for (size_t s = 0; s < std::min(e.at("samples").get<size_t>(), kMostSamples); ++s) {
    std::string end = endOf(e, s);
    if (isTest(end)) end = "covered, and fails a test";
    if (end == "kept") end = "covered, and kept";
    if (end == "alpha to coverage" && !e.at("shader").empty() && !e.at("shader").at(0).at("colors").empty())
      end += ": alpha " + numberOf(e.at("shader").at(0).at("colors").at(0).at("value").at(3)) + " keeps fewer samples";
    add(page, sampleName(s), end);
  }
  addMasks(page, e);
  for (const Json& r : e.at("shader"))
    for (const Json& c : r.at("colors"))
      add(page, "shader, " + etzel_tools::locationName(c) + " of " + samplesOf(r.at("samples")), tuple(c.at("value")));
  return page;
}

std::string depthVerdict(const Json& t) {
  if (t.at("end") == "depth bounds")
    return numberOf(t.at("stored")) + " is outside of [" + numberOf(t.at("bounds").at(0)) + ", " +
           numberOf(t.at("bounds").at(1)) + "]";
  if (!t.contains("depth")) return {};
  return numberOf(t.at("depth")) + " " + t.at("compare").get<std::string>() + " " + numberOf(t.at("stored")) +
         (t.at("passes").get<bool>() ? " passes" : " fails");
}

std::string stencilVerdict(const Json& t) {
  if (!t.contains("stencilReference")) return {};
  return "stencil " + t.at("stencilReference").dump() + " " + t.at("stencilCompare").get<std::string>() + " " +
         t.at("stencilStored").dump() + (t.at("stencilPasses").get<bool>() ? " passes" : " fails") + ", " +
         t.at("stencilOp").get<std::string>();
}

/// Depth first, but for a stencil that fails, which comes before it.
PastPage tests(const Json& e) {
  PastPage page{
      std::string("depth and stencil, ") + (e.at("earlyTests").get<bool>() ? "before" : "behind") + " the shader",
      {},
      {}};
  for (const Json& r : e.at("shader")) {
    const std::string of = " of " + samplesOf(r.at("samples"));
    if (r.contains("depth")) add(page, "gl_FragDepth" + of, tuple(r["depth"]));
    if (r.contains("stencilReference")) add(page, "gl_FragStencilRefARB" + of, numberOf(r["stencilReference"]));
  }
  for (const Json& t : e.at("tests")) {
    const std::string depth = depthVerdict(t), stencil = stencilVerdict(t);
    if (depth.empty() && stencil.empty()) continue;
    std::vector<PastValue> parts;
    for (const char* name : {"depth", "stored", "depthCode", "storedCode", "stencilReference", "stencilStored"})
      if (t.contains(name)) parts.push_back({name, numberOf(t[name]), {}});
    std::string verdict = depth + (depth.empty() || stencil.empty() ? "" : "; ") + stencil;
    // What early tests have written stays written, whatever takes the sample behind them.
    if (const std::string end = t.at("end"); isTest(end))
      verdict += "; what was there stays";
    else if (end != "kept")
      verdict += "; then " + end + " takes it";
    add(page, sampleName(t.at("sample")), verdict, std::move(parts));
  }
  if (page.text.empty()) add(page, "tests", "none is on, or nothing came to them");
  return page;
}

const Json* fragmentsOf(const Json& image, const char* when) {
  const auto found = image.find(when);
  return found == image.end() ? nullptr : &*found;
}

/// "color 0, image 2"; outside of passes "image 2".
std::string nameOf(const Json& image) {
  const std::string attachment = image.value("attachment", "");
  return (attachment.empty() ? "" : attachment + ", ") + image.at("image").get<std::string>();
}

PastPage written(const Json& image) {
  PastPage page{image.contains("blend") ? "blend, " : "write, ", {}, {}};
  page.name += nameOf(image);
  if (image.contains("location")) add(page, "location", image.at("location").dump());
  if (image.contains("blend")) add(page, "equation", image.at("blend")), add(page, "alpha", image.at("blendAlpha"));
  if (image.contains("notWritten")) add(page, "not written", image.at("notWritten"));
  const Json &before = image.at("before"), &after = image.at("after");
  const Json* fragments = fragmentsOf(image, "fragmentsAfter");
  for (size_t s = 0; s < before.size(); ++s) {
    std::string value =
        tuple(before.at(s)) + (before.at(s) == after.at(s) ? " stays" : " becomes " + tuple(after.at(s)));
    if (fragments) value += ", fragment " + fragments->at(s).dump();
    add(page, before.size() == 1 ? "value" : sampleName(s), value);
  }
  return page;
}

/// Slots that were made, freed, or are shown by other samples than before.
PastPage mask(const Json& image) {
  PastPage page{"fragment mask, " + image.value("attachment", image.at("image").get<std::string>()), {}, {}};
  const Json &before = image.at("fragmentsBefore"), &after = image.at("fragmentsAfter");
  for (unsigned f = 0; f < before.size(); ++f) {
    unsigned was = 0, is = 0;
    for (unsigned s = 0; s < before.size(); ++s)
      was |= unsigned(before.at(s) == f) << s, is |= unsigned(after.at(s) == f) << s;
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
    const std::string was = image.at("tileBefore"), is = image.at("tileAfter");
    add(page, image.value("attachment", ""), was == is ? is : was + " becomes " + is);
  }
  return page;
}

PastPage resolve(const Json& e) {
  PastPage page{"resolve", {}, {}};
  const Json& image = e.at("images").at(0);
  add(page, "mode", e.at("mode"));
  for (size_t s = 0; s < e.at("source").size(); ++s) add(page, sampleName(s), tuple(e.at("source").at(s)));
  add(page, image.at("image"), tuple(image.at("before").at(0)) + " becomes " + tuple(image.at("after").at(0)));
  return page;
}

/// What wrote the pixel, or memory, where it was no draw.
PastPage command(const Json& e) {
  const std::string event = e.at("event");
  PastPage page{"written by " + e.value("command", "a " + event), {}, {}};
  for (const char* name : {"command", "dispatch", "from", "fromPixel", "wrote"})
    if (e.contains(name)) add(page, name, e.at(name).is_array() ? tuple(e.at(name)) : numberOf(e.at(name)));
  return page;
}

}  // namespace

std::string titleOf(const Json& e) {
  if (e.at("event") == "resolve") return "resolve of " + e.at("from").get<std::string>();
  if (e.at("event") != "draw") return e.value("command", e.at("event").get<std::string>());
  std::string text = "draw " + e.at("draw").dump();
  if (e.contains("pipeline")) text += " \"" + e.at("pipeline").get<std::string>() + "\"";
  return text + ", " + etzel_tools::primitiveName(e);
}

std::vector<PastValue> pixelOf(const Json& events) {
  std::vector<PastValue> all;
  PastValue told{"events", std::to_string(events.size()), {}};
  for (const Json& e : events) {
    const std::string event = e.at("event");
    std::string what = titleOf(e);
    if (event == "draw") what += " keeps " + samplesOf(e.at("kept"));
    told.parts.push_back({"#" + e.at("number").dump(), what, {}});
    for (const Json& image : e.at("images")) {
      const std::string name = nameOf(image);
      auto held = std::find_if(all.begin(), all.end(), [&](const PastValue& v) { return v.name == name; });
      if (held == all.end()) held = all.insert(held, {name, "", {}});
      const Json& after = image.at("after");
      held->value = after.size() == 1 ? tuple(after.at(0)) : std::to_string(after.size()) + " samples";
      held->parts.clear();
      const Json* fragments = fragmentsOf(image, "fragmentsAfter");
      for (size_t s = 0; s < after.size() && after.size() > 1; ++s)
        held->parts.push_back(
            {sampleName(s), tuple(after.at(s)) + (fragments ? ", fragment " + fragments->at(s).dump() : ""), {}});
      if (fragments) held->parts.push_back({"fragment mask", tuple(*fragments), {}});
    }
  }
  if (!events.empty()) all.push_back(std::move(told));
  return all;
}

std::vector<PastPage> pagesOf(const Json& e) {
  if (e.at("event") == "resolve") return {resolve(e)};
  std::vector<PastPage> pages;
  if (e.at("event") == "draw")
    pages = {coverage(e), tests(e)};
  else
    pages = {command(e)};
  for (const Json& image : e.at("images")) pages.push_back(written(image));
  for (const Json& image : e.at("images"))
    if (image.contains("fragmentsAfter")) pages.push_back(mask(image));
  if (PastPage states = tile(e.at("images")); !states.text.empty()) pages.push_back(std::move(states));
  return pages;
}

}  // namespace etzel_debug
