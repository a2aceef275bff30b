#version 450
// An object of a world as the light sees it.
layout(location = 0) in vec3 position;
layout(set = 0, binding = 0) uniform Camera { mat4 viewProjection; mat4 lightProjection; vec4 eye; vec4 light; } camera;
layout(push_constant) uniform Object { vec4 place; vec4 tint; vec4 repeat; } object;
void main() { gl_Position = camera.lightProjection * vec4(position * object.place.w + object.place.xyz, 1.0); }
