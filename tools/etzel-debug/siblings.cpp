// A request of our own: the invocations of a pixel's other samples, or which samples the one that is stopped serves.
#include "adapter.h"

namespace etzel_debug {
namespace {

std::string samplesOf(uint64_t mask) {
  std::string text;
  for (unsigned s = 0; s < 32; ++s)
    if (mask >> s & 1) text += " " + std::to_string(s);
  return text;
}

}  // namespace

void Adapter::siblings(const Json& request, const Json& arguments) {
  const auto thread = arguments.at("threadId").get<uint64_t>();
  relay(request, "siblings", {std::to_string(thread)}, [thread](const Json& answer) {
    const auto shaded = answer.at("shaded").get<uint64_t>();
    if (!answer.at("perSample").get<bool>())
      return Json{{"siblings", Json::array()}, {"text", "one invocation serves samples" + samplesOf(shaded)}};
    Json all = Json::array();
    std::string text;
    for (const Json& s : answer.at("siblings")) {
      const auto id = s.at("thread").get<uint64_t>();
      all.push_back({{"sample", s.at("sample")}, {"threadId", id}});
      text += (text.empty() ? "" : "\n") + std::string("sample ") + s.at("sample").dump() + ": thread " +
              std::to_string(id) + (id == thread ? ", this one" : "");
    }
    return Json{{"siblings", all}, {"text", text}};
  });
}

}  // namespace etzel_debug
