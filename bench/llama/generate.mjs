// llama.cpp on Vulkan, through the npm package node-llama-cpp: evaluates a prompt and chooses tokens after it, the likeliest
// each time. usage: node generate.mjs FOLDER_OF_NODE_LLAMA_CPP MODEL PROMPT_TOKENS TOKENS
// Prints JSON: prompt (tokens a second until the first one is there), tokens (tokens a second after it), chosen, device.
import path from "node:path";
import {pathToFileURL} from "node:url";

const [folder, modelPath, prompts, tokens] = [process.argv[2], process.argv[3], Number(process.argv[4]), Number(process.argv[5])];
const {getLlama} = await import(pathToFileURL(path.join(folder, "dist/index.js")));
const llama = await getLlama({gpu: "vulkan", build: "never", logLevel: "error"});
const device = await llama.getGpuDeviceNames();
if (!device.length) throw new Error("llama.cpp sees no device");
const model = await llama.loadModel({modelPath, gpuLayers: "max"});
const context = await model.createContext({contextSize: 1024, batchSize: 512, sequences: 1});
const prompt = Array.from({length: prompts}, (_, i) => 300 + (i * 37) % 1500);

const chosen = [], times = [performance.now()];
for await (const token of context.getSequence().evaluate(prompt, {temperature: 0, yieldEogToken: true})) {
  chosen.push(token);
  times.push(performance.now());
  if (chosen.length >= tokens) break;
}
const perSecond = (count, from, to) => count * 1000 / (times[to] - times[from]);
console.log(JSON.stringify({
  prompt: perSecond(prompts, 0, 1),
  tokens: chosen.length > 1 ? perSecond(chosen.length - 1, 1, times.length - 1) : null,
  chosen,
  device: device[0],
}));
process.exit(0);
