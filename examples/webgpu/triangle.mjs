// A multisampled triangle by WebGPU, as a picture in PPM: `npm install webgpu`, then
//   npx etzel-run node triangle.mjs triangle.ppm
// Prints how many pixels are covered wholly, partly and not at all. Nothing here knows of Etzel.
import {writeFileSync} from 'node:fs';
import {create, globals} from 'webgpu';

Object.assign(globalThis, globals);

const size = 64;
const samples = 4;
const shader = `
  @vertex fn corner(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
    let corners = array(vec2f(-0.8, -0.9), vec2f(0.7, -0.3), vec2f(-0.1, 0.9));
    return vec4f(corners[i], 0, 1);
  }
  @fragment fn white() -> @location(0) vec4f { return vec4f(1); }`;

const gpu = create(['backend=vulkan']);
const adapter = await gpu.requestAdapter();
if (!adapter) throw new Error('no adapter');
console.log(`${adapter.info.description || adapter.info.device} ${adapter.info.vendor}`.trim());
const device = await adapter.requestDevice();
const module = device.createShaderModule({code: shader});
const target = (sampleCount, usage) =>
  device.createTexture({size: [size, size], format: 'rgba8unorm', sampleCount, usage});
const drawn = target(samples, GPUTextureUsage.RENDER_ATTACHMENT);
const resolved = target(1, GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC);
const bytes = device.createBuffer({size: 4 * size * size, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ});
const pipeline = device.createRenderPipeline({
  layout: 'auto',
  vertex: {module, entryPoint: 'corner'},
  fragment: {module, entryPoint: 'white', targets: [{format: 'rgba8unorm'}]},
  multisample: {count: samples},
});
const commands = device.createCommandEncoder();
const pass = commands.beginRenderPass({
  colorAttachments: [{view: drawn.createView(), resolveTarget: resolved.createView(), clearValue: [0, 0, 0, 1],
                      loadOp: 'clear', storeOp: 'discard'}],
});
pass.setPipeline(pipeline);
pass.draw(3);
pass.end();
commands.copyTextureToBuffer({texture: resolved}, {buffer: bytes, bytesPerRow: 4 * size}, [size, size]);
device.queue.submit([commands.finish()]);
await bytes.mapAsync(GPUMapMode.READ);
const picture = new Uint8Array(bytes.getMappedRange()).filter((_, i) => i % 4 !== 3);
const count = {covered: 0, edges: 0, background: 0};
for (let i = 0; i < picture.length; i += 3)
  ++count[picture[i] === 255 ? 'covered' : picture[i] === 0 ? 'background' : 'edges'];
console.log(`${count.covered} pixels covered, ${count.edges} at edges, ${count.background} background`);
if (process.argv[2])
  writeFileSync(process.argv[2], Buffer.concat([Buffer.from(`P6 ${size} ${size} 255\n`), Buffer.from(picture)]));
process.exitCode = count.covered && count.edges && count.background ? 0 : 1;
process.exit();  // the device's threads would keep the process alive
