// Cases about indices of 64 bits; registered with the other newer SPIR-V.
#pragma once

namespace etzel::cts {

void addWideIndexCases();

}  // namespace etzel::cts
