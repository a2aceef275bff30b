#include "tools/common/history_text.h"

namespace etzel_tools {
std::string numberOf(const Json& v) { return v.is_string() ? v.get<std::string>() : v.dump(); }

std::string tuple(const Json& components) {
  if (components.size() == 1) return numberOf(components.at(0));
  std::string text;
  for (const Json& c : components) text += (text.empty() ? "" : ", ") + numberOf(c);
  return "(" + text + ")";
}

std::string locationName(const Json& color) {
  const std::string name = "color " + color.at("location").dump();
  return color.contains("attachment") ? name + " to " + color.at("attachment").get<std::string>() : name;
}

bool isInstanced(const Json& draw) {
  return draw.value("instances", uint64_t{1}) > 1 || draw.value("instance", uint64_t{0}) > 0;
}

std::string primitiveName(const Json& draw) {
  const std::string name = "primitive " + draw.at("primitive").dump();
  return isInstanced(draw) ? name + ", instance " + draw.at("instance").dump() : name;
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
    out_ += "#" + e.at("number").dump() + "  ";
    if (event == "draw") {
      out_ += "draw " + e.at("draw").dump();
      if (e.contains("pipeline")) out_ += " \"" + e.at("pipeline").get<std::string>() + "\"";
      if (e.contains("label")) out_ += " in " + e.at("label").get<std::string>();
      out_ += ", " + primitiveName(e) + (e.value("front", true) ? "" : ", back");
    } else if (event == "dispatch") {
      out_ += "dispatch " + e.at("dispatch").dump() + " has stored";
    } else if (event == "elsewhere") {
      out_ += "changed in between: by a shader's store, the host, or contents that were not kept";
    } else {
      out_ += event == "transfer" ? "" : event + ", ";
      if (e.contains("command")) out_ += e.at("command").get<std::string>();
      if (e.contains("mode")) out_ += e.at("mode").get<std::string>();
      if (e.contains("from")) out_ += " from " + e.at("from").get<std::string>();
      if (e.contains("fromPixel")) out_ += " " + tuple(e.at("fromPixel"));
    }
    if (e.contains("pass")) out_ += " (pass " + e.at("pass").dump() + ")";
    out_ += "\n";
  }

  void fragment(const Json& e) {
    const unsigned covered = e.at("covered"), samples = e.at("samples");
    line("covers", samplesOf(covered) + " of " + std::to_string(samples));
    for (const Json& k : e.at("killed")) killed(e, k);
    for (const Json& r : e.at("shader")) result(r, samples);
    if (e.at("shader").empty()) line("shader", "was not run: nothing of it would have been seen");
    for (const Json& t : e.at("tests"))
      if (t.value("end", "") == "kept" && t.contains("depth") && seen(t)) line("depth", test(t));
    line("keeps", samplesOf(e.at("kept")));
  }

  void image(const Json& i) {
    std::string name = i.value("attachment", "");
    name += (name.empty() ? "" : ", ") + i.at("image").get<std::string>() + ", " + i.at("format").get<std::string>();
    if (i.contains("blend")) name += ", blended " + i.at("blend").get<std::string>();
    if (i.contains("notWritten")) name += ", not written: " + i.at("notWritten").get<std::string>();
    out_ += "      " + name + "\n";
    const Json &before = i.at("before"), &after = i.at("after");
    unsigned left = before.size() < 32 ? (1u << before.size()) - 1 : ~0u;
    const bool single = before.size() == 1;
    if (!single) left &= only_;
    while (left) {
      const auto first = unsigned(__builtin_ctz(left));
      unsigned alike = 0;
      for (unsigned s = first; s < before.size(); ++s)
        if (left >> s & 1 && before.at(s) == before.at(first) && after.at(s) == after.at(first)) alike |= 1u << s;
      left &= ~alike;
      const std::string value = before.at(first) == after.at(first)
                                    ? tuple(before[first]) + " stays"
                                    : tuple(before.at(first)) + " \u2192 " + tuple(after.at(first));
      out_ += "        " + (single ? value : named(alike) + ": " + value) + "\n";
    }
    if (i.contains("fragmentsAfter") && i.at("fragmentsBefore") != i.at("fragmentsAfter"))
      out_ += "        fragments " + i.at("fragmentsBefore").dump() + " \u2192 " + i.at("fragmentsAfter").dump() + "\n";
    if (i.contains("tileAfter") && i.at("tileBefore") != i.at("tileAfter"))
      out_ += "        tile " + i.at("tileBefore").get<std::string>() + " \u2192 " +
              i.at("tileAfter").get<std::string>() + "\n";
  }

  void source(const Json& values) {
    std::string text;
    for (const Json& v : values) text += (text.empty() ? "" : " ") + tuple(v);
    line("samples", text);
  }

  std::string done() { return std::move(out_); }

 private:
  bool seen(const Json& test) const { return only_ >> test.at("sample").get<unsigned>() & 1; }

  static std::string test(const Json& t) {
    std::string text = "sample " + t.at("sample").dump() + ": ";
    if (t.value("end", "") == "stencil")
      return text + "reference " + t.at("stencilReference").dump() + " " + t.at("stencilCompare").get<std::string>() +
             " " + t.at("stencilStored").dump() + " fails, " + t.at("stencilOp").get<std::string>();
    if (t.value("end", "") == "depth bounds")
      return text + numberOf(t.at("stored")) + " is not in [" + numberOf(t.at("bounds").at(0)) + ", " +
             numberOf(t.at("bounds").at(1)) + "]";
    return text + numberOf(t.at("depth")) + " " + t.at("compare").get<std::string>() + " " + numberOf(t.at("stored")) +
           (t.at("passes").get<bool>() ? " passes" : " fails");
  }

  void killed(const Json& e, const Json& k) {
    const std::string by = k.at("by");
    const unsigned samples = k.at("samples").get<unsigned>() & only_;
    if (!samples) return;
    if (by == "depth" || by == "stencil" || by == "depth bounds") {
      for (const Json& t : e.at("tests"))
        if (t.value("end", "") == by && seen(t)) line(by, test(t));
      return;
    }
    std::string text = "takes " + named(samples);
    if (by == "sample mask") text += ": the mask has " + samplesOf(e.at("sampleMask"));
    if (by == "alpha to coverage" && !e.at("shader").empty() && !e.at("shader").at(0).at("colors").empty())
      text += ": alpha is " + numberOf(e.at("shader").at(0).at("colors").at(0).at("value").at(3));
    line(by, text);
  }

  void result(const Json& r, unsigned samples) {
    const unsigned of = r.at("samples");
    const unsigned all = samples < 32 ? (1u << samples) - 1 : ~0u;
    if (!(of & only_)) return;
    std::string text = (of & all) == all ? "" : named(of & all) + ": ";
    bool some = false;
    const auto add = [&](const std::string& what) { text += (some ? ", " : "") + what, some = true; };
    for (const Json& c : r.at("colors")) add(locationName(c) + " = " + tuple(c.at("value")));
    if (r.contains("depth")) add("depth = " + tuple(r.at("depth")));
    if (r.contains("sampleMask")) add("gl_SampleMask = " + samplesOf(r.at("sampleMask")));
    if (r.contains("stencilReference")) add("stencil reference = " + r.at("stencilReference").dump());
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
  if (event.contains("source")) text.source(event.at("source"));
  bool changes = event.value("event", "") != "draw";
  for (const Json& image : event.at("images")) {
    const bool same =
        image.at("before") == image.at("after") && image.value("tileBefore", "") == image.value("tileAfter", "");
    if (event.value("event", "") == "draw" && same && !image.contains("notWritten")) continue;
    text.image(image);
    changes = true;
  }
  if (!changes) text.line("changes", "nothing");
  return text.done();
}

}  // namespace etzel_tools
