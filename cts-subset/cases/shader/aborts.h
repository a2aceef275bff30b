// Shaders that lose their device (VK_KHR_shader_abort), and what it says of that (VK_KHR_device_fault).
#pragma once

namespace etzel::cts {

void registerAborts();

}  // namespace etzel::cts
