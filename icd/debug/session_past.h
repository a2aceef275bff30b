// A fragment that a debugger looks at behind its shader, or a resolve. Private to the session.
#pragma once

#include <optional>

#include "icd/debug/past_shader.h"
#include "icd/debug/session_stop.h"

namespace etzel::icd {

struct Session::Past {
  std::optional<PastShader> goes;  ///< what the debugger has said; guarded by the session's mutex
};

}  // namespace etzel::icd
