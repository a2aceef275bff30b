#version 450
// The picture is the average of the samples.
layout(binding = 1) uniform sampler2D average;
layout(location = 0) out vec4 color;
void main() {
  color = texelFetch(average, ivec2(gl_FragCoord.xy), 0);
}
