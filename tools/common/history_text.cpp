#include "tools/common/history_text.h"

namespace etzel_tools {
std::string numberOf(const Json& v) { return v.is_string() ? v.get<std::string>() : v.dump(); }

std::string tuple(const Json& components) {
  if (components.size() == 1) return numberOf(components[0]);
  std::string text;
  for (const Json& c : components) text += (text.empty() ? "" : ", ") + numberOf(c);
  return "(" + text + ")";
}

namespace {

/// "0-3 5": the samples of a mask.
std::string samplesOf(unsigned mask) {
  std::string text;
  for (unsigned s = 0; s < 32; ++s) {
    if (!(mask >> s & 1)) continue;
    unsigned end = s;
    while (end < 31 && mask >> (end + 1) & 1) ++end;
    text += (text.empty() ? "" : " ") + std::to_string(s);
    if (end > s) text += "-" + std::to_string(end);
    s = end;
  }
  return text.empty() ? "none" : text;
}
std::string named(unsigned mask) { return (mask & (mask - 1) ? "samples " : "sample ") + samplesOf(mask); }

class Text {
 public:
  explicit Text(std::optional<unsigned> sample) : only_(sample ? 1u << *sample : ~0u) {}

  void line(const std::string& head, const std::string& rest) {
    out_ += "      " + head + std::string(head.size() < 12 ? 12 - head.size() : 1, ' ') + rest + "\n";
  }

  void title(const Json& e) {
    const std::string event = e.value("event", "");
    out_ += "#" + e["number"].dump() + "  ";
    if (event == "draw") {
      out_ += "draw " + e["draw"].dump();
      if (e.contains("pipeline")) out_ += " \"" + e["pipeline"].get<std::string>() + "\"";
      if (e.contains("label")) out_ += " in " + e["label"].get<std::string>();
      out_ += ", primitive " + e["primitive"].dump() + (e.value("front", true) ? "" : ", back");
    } else if (event == "dispatch") {
      out_ += "dispatch " + e["dispatch"].dump() + " has stored";
    } else if (event == "elsewhere") {
      out_ += "changed in between: by a shader's store, the host, or contents that were not kept";
    } else {
      out_ += event == "transfer" ? "" : event + ", ";
      if (e.contains("command")) out_ += e["command"].get<std::string>();
      if (e.contains("mode")) out_ += e["mode"].get<std::string>();
      if (e.contains("from")) out_ += " from " + e["from"].get<std::string>();
      if (e.contains("fromPixel")) out_ += " " + tuple(e["fromPixel"]);
    }
    if (e.contains("pass")) out_ += " (pass " + e["pass"].dump() + ")";
    out_ += "\n";
  }

  void fragment(const Json& e) {
    const unsigned covered = e["covered"], samples = e["samples"];
    line("covers", samplesOf(covered) + " of " + std::to_string(samples));
    for (const Json& k : e["killed"]) killed(e, k);
    for (const Json& r : e["shader"]) result(r, samples);
    if (e["shader"].empty()) line("shader", "was not run: nothing of it would have been seen");
    for (const Json& t : e["tests"])
      if (t.value("end", "") == "kept" && t.contains("depth") && seen(t)) line("depth", test(t));
    line("keeps", samplesOf(e["kept"]));
  }

  void image(const Json& i) {
    std::string name = i.value("attachment", "");
    name += (name.empty() ? "" : ", ") + i["image"].get<std::string>() + ", " + i["format"].get<std::string>();
    if (i.contains("blend")) name += ", blended " + i["blend"].get<std::string>();
    if (i.contains("notWritten")) name += ", not written: " + i["notWritten"].get<std::string>();
    out_ += "      " + name + "\n";
    const Json &before = i["before"], &after = i["after"];
    unsigned left = before.size() < 32 ? (1u << before.size()) - 1 : ~0u;
    const bool single = before.size() == 1;
    if (!single) left &= only_;
    while (left) {
      const auto first = unsigned(__builtin_ctz(left));
      unsigned alike = 0;
      for (unsigned s = first; s < before.size(); ++s)
        if (left >> s & 1 && before[s] == before[first] && after[s] == after[first]) alike |= 1u << s;
      left &= ~alike;
      const std::string value = before[first] == after[first] ? tuple(before[first]) + " stays"
                                                              : tuple(before[first]) + " \u2192 " + tuple(after[first]);
      out_ += "        " + (single ? value : named(alike) + ": " + value) + "\n";
    }
    if (i.contains("fragmentsAfter") && i["fragmentsBefore"] != i["fragmentsAfter"])
      out_ += "        fragments " + i["fragmentsBefore"].dump() + " \u2192 " + i["fragmentsAfter"].dump() + "\n";
    if (i.contains("tileAfter") && i["tileBefore"] != i["tileAfter"])
      out_ +=
          "        tile " + i["tileBefore"].get<std::string>() + " \u2192 " + i["tileAfter"].get<std::string>() + "\n";
  }

  void source(const Json& values) {
    std::string text;
    for (const Json& v : values) text += (text.empty() ? "" : " ") + tuple(v);
    line("samples", text);
  }

  std::string done() { return std::move(out_); }

 private:
  bool seen(const Json& test) const { return only_ >> test["sample"].get<unsigned>() & 1; }

  static std::string test(const Json& t) {
    std::string text = "sample " + t["sample"].dump() + ": ";
    if (t.value("end", "") == "stencil")
      return text + "reference " + t["stencilReference"].dump() + " " + t["stencilCompare"].get<std::string>() + " " +
             t["stencilStored"].dump() + " fails, " + t["stencilOp"].get<std::string>();
    if (t.value("end", "") == "depth bounds")
      return text + numberOf(t["stored"]) + " is not in [" + numberOf(t["bounds"][0]) + ", " +
             numberOf(t["bounds"][1]) + "]";
    return text + numberOf(t["depth"]) + " " + t["compare"].get<std::string>() + " " + numberOf(t["stored"]) +
           (t["passes"].get<bool>() ? " passes" : " fails");
  }

  void killed(const Json& e, const Json& k) {
    const std::string by = k["by"];
    const unsigned samples = k["samples"].get<unsigned>() & only_;
    if (!samples) return;
    if (by == "depth" || by == "stencil" || by == "depth bounds") {
      for (const Json& t : e["tests"])
        if (t.value("end", "") == by && seen(t)) line(by, test(t));
      return;
    }
    std::string text = "takes " + named(samples);
    if (by == "sample mask") text += ": the mask has " + samplesOf(e["sampleMask"]);
    if (by == "alpha to coverage" && !e["shader"].empty() && !e["shader"][0]["colors"].empty())
      text += ": alpha is " + numberOf(e["shader"][0]["colors"][0]["value"][3]);
    line(by, text);
  }

  void result(const Json& r, unsigned samples) {
    const unsigned of = r["samples"];
    const unsigned all = samples < 32 ? (1u << samples) - 1 : ~0u;
    if (!(of & only_)) return;
    std::string text = (of & all) == all ? "" : named(of & all) + ": ";
    bool some = false;
    const auto add = [&](const std::string& what) { text += (some ? ", " : "") + what, some = true; };
    for (const Json& c : r["colors"]) add("color " + c["location"].dump() + " = " + tuple(c["value"]));
    if (r.contains("depth")) add("depth = " + tuple(r["depth"]));
    if (r.contains("sampleMask")) add("gl_SampleMask = " + samplesOf(r["sampleMask"]));
    if (r.contains("stencilReference")) add("stencil reference = " + r["stencilReference"].dump());
    if (r.value("discarded", false)) add("discarded");
    line("shader", text);
  }

  const unsigned only_;
  std::string out_;
};

}  // namespace

std::string eventText(const Json& event, std::optional<unsigned> sample) {
  Text text(sample);
  text.title(event);
  if (event.value("event", "") == "draw") text.fragment(event);
  if (event.contains("source")) text.source(event["source"]);
  bool changes = event.value("event", "") != "draw";
  for (const Json& image : event["images"]) {
    const bool same =
        image["before"] == image["after"] && image.value("tileBefore", "") == image.value("tileAfter", "");
    if (event.value("event", "") == "draw" && same && !image.contains("notWritten")) continue;
    text.image(image);
    changes = true;
  }
  if (!changes) text.line("changes", "nothing");
  return text.done();
}

}  // namespace etzel_tools
