// Cases about pointers that assemblers of Debian 12 do not know; registered with the other newer SPIR-V.
#pragma once

namespace etzel::cts {

void addPointerCases();

}  // namespace etzel::cts
