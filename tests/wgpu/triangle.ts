// A multisampled triangle through wgpu, as Deno has it: which adapter drew it, and how many pixels it covers wholly and partly.
// Run by check_wgpu.sh.
const size = 64;
const shader = `
  @vertex fn corner(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
    let corners = array(vec2f(-0.8, -0.9), vec2f(0.7, -0.3), vec2f(-0.1, 0.9));
    return vec4f(corners[i], 0, 1);
  }
  @fragment fn white() -> @location(0) vec4f { return vec4f(1); }`;

const adapter = await navigator.gpu.requestAdapter();
if (!adapter) {
  console.log("adapter: none");
  Deno.exit(0);
}
console.log(`adapter: ${adapter.info.description} ${adapter.info.device}`);
const device = await adapter.requestDevice();
const module = device.createShaderModule({ code: shader });
const target = (sampleCount, usage) =>
  device.createTexture({ size: [size, size], format: "rgba8unorm", sampleCount, usage });
const drawn = target(4, GPUTextureUsage.RENDER_ATTACHMENT);
const resolved = target(1, GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC);
const bytes = device.createBuffer({ size: 4 * size * size, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ });
const pipeline = device.createRenderPipeline({
  layout: "auto",
  vertex: { module, entryPoint: "corner" },
  fragment: { module, entryPoint: "white", targets: [{ format: "rgba8unorm" }] },
  multisample: { count: 4 },
});
const commands = device.createCommandEncoder();
const pass = commands.beginRenderPass({
  colorAttachments: [{
    view: drawn.createView(),
    resolveTarget: resolved.createView(),
    clearValue: [0, 0, 0, 1],
    loadOp: "clear",
    storeOp: "discard",
  }],
});
pass.setPipeline(pipeline);
pass.draw(3);
pass.end();
commands.copyTextureToBuffer({ texture: resolved }, { buffer: bytes, bytesPerRow: 4 * size }, [size, size]);
device.queue.submit([commands.finish()]);
await bytes.mapAsync(GPUMapMode.READ);
const red = new Uint8Array(bytes.getMappedRange()).filter((_, i) => i % 4 === 0);
const covered = red.filter((v) => v === 255).length, outside = red.filter((v) => v === 0).length;
console.log(`${covered} pixels covered, ${size * size - covered - outside} at edges, ${outside} background`);
Deno.exit(0);
