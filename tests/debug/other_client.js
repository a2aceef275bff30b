// Debugging sessions as Microsoft's test client for debug adapters asks for them: every request of the protocol that the adapter
// has, each kind of breakpoint, and the tour of docs/debugging.md.
// usage: node other_client.js ADAPTER SCENE DRIVER FOLDER-OF-THE-TOUR FOLDER
const assert = require('assert');
const fs = require('fs');
const os = require('os');
const path = require('path');
const { spawn } = require('child_process');
const { DebugClient } = require('@vscode/debugadapter-testsupport');

const [adapter, scene, driver, programs, folder] = process.argv.slice(2);
const places = (name) => fs.readFileSync(path.join(__dirname, 'scene.cpp'), 'utf8').match(new RegExp(`${name} = R"\\(([^]*?)\\)";`))[1].split('\n');
const sums = places('kSums');
const line = (name, shader = sums) => shader.findIndex((text) => text.includes(`// @${name}`)) + 1;
const source = { path: '/home/me/case.comp' };
const one = { workgroup: [1, 0, 0], invocation: 10 };

/// A program that is stopped for the first time; `prepare` sets breakpoints.
class Session {
  static async begin(launch, prepare, reason = 'breakpoint') {
    const s = new Session();
    s.client = new DebugClient(adapter, '--dap', 'etzel');
    s.client.defaultTimeout = 60000;
    s.output = '';
    s.client.on('output', (event) => (s.output += event.body.output));
    await s.client.start();
    s.capabilities = (await s.client.initializeRequest()).body;
    const initialized = s.client.waitForEvent('initialized');
    if (launch.address) await s.client.attachRequest(launch);
    else await s.client.launchRequest({ driver, env: { ETZEL_THREADS: '1' }, ...launch });
    await initialized;
    await prepare(s.client);
    s.threadId = await s.stops(() => s.client.configurationDoneRequest(), reason);
    return s;
  }
  /// Asks for something that goes on. Returns the thread that stops next.
  async stops(ask, reason = 'step') {
    const event = this.client.waitForEvent('stopped');
    await ask();
    const body = (await event).body;
    assert.strictEqual(body.reason, reason);
    return body.threadId;
  }
  async frames() {
    return (await this.client.stackTraceRequest({ threadId: this.threadId })).body.stackFrames;
  }
  async at(name, shader = sums) {
    assert.strictEqual((await this.frames())[0].line, line(name, shader));
  }
  async evaluated(expression) {
    const frameId = (await this.frames())[0].id;
    return (await this.client.evaluateRequest({ expression, frameId, context: 'watch' })).body;
  }
  async value(expression) {
    return (await this.evaluated(expression)).result;
  }
  /// Variables of a scope, by name.
  async scope(name) {
    const frameId = (await this.frames())[0].id;
    const scopes = (await this.client.scopesRequest({ frameId })).body.scopes;
    const { variablesReference } = scopes.find((scope) => scope.name === name);
    const { variables } = (await this.client.variablesRequest({ variablesReference })).body;
    return { variablesReference, ...Object.fromEntries(variables.map((v) => [v.name, v])) };
  }
  /// Lets the program run to its end, which is a good one.
  async ends(...sources) {
    for (const name of sources) await this.client.setBreakpointsRequest({ source: name, breakpoints: [] });
    for (const kind of ['Function', 'Instruction', 'Data']) await this.client.customRequest(`set${kind}Breakpoints`, { breakpoints: [] });
    await this.client.setExceptionBreakpointsRequest({ filters: [] });
    const exited = this.client.waitForEvent('exited'), terminated = this.client.waitForEvent('terminated');
    await this.client.continueRequest({ threadId: this.threadId });
    assert.strictEqual((await exited).body.exitCode, 0);
    await terminated;
    await this.client.stop();
  }
}

async function stepping() {
  const s = await Session.begin({ program: scene, args: ['compute'], stop: one }, async (client) => {
    await client.setBreakpointsRequest({ source, breakpoints: [{ line: line('behind') }, { line: line('loop'), condition: 'i == 1u' }] });
    await client.setExceptionBreakpointsRequest({ filters: ['nan'] });
  });
  const { client, threadId } = s;
  assert(s.capabilities.supportsStepBack && s.capabilities.supportsConditionalBreakpoints);
  await s.at('behind');
  assert.strictEqual((await s.frames())[0].source.path, source.path);
  assert.strictEqual((await client.threadsRequest()).body.threads.length, 16);
  assert.strictEqual((await s.scope('Locals')).mine.value, '30');
  assert.strictEqual(await s.value('pair.second * 2.0'), '(20, 1)');
  await s.stops(() => client.stepBackRequest({ threadId }));
  await s.at('call');
  await s.stops(() => client.stepInRequest({ threadId }));
  await s.at('inside');
  await s.stops(() => client.stepOutRequest({ threadId }));
  await s.stops(() => client.nextRequest({ threadId }));
  await s.at('behind');
  await s.stops(() => client.continueRequest({ threadId }), 'breakpoint');
  await s.at('loop');
  assert.strictEqual(await s.value('i'), '1');
  const info = (await client.dataBreakpointInfoRequest({ name: 'next', frameId: (await s.frames())[0].id })).body;
  await client.setDataBreakpointsRequest({ breakpoints: [{ dataId: info.dataId }] });
  await s.stops(() => client.continueRequest({ threadId }), 'data breakpoint');
  await s.stops(() => client.reverseContinueRequest({ threadId }), 'data breakpoint');
  await s.ends(source);
  assert(s.output.startsWith('sums '), s.output);
}

/// Functions, instructions, frames that begin again, lines to go back to, and the sources of it all.
async function placesInSources() {
  const s = await Session.begin({ program: scene, args: ['compute'], stop: one }, async (client) => {
    const told = (await client.setFunctionBreakpointsRequest({ breakpoints: [{ name: 'twice', condition: 'x == 15u' }] })).body;
    assert.strictEqual(told.breakpoints[0].verified, false);
  }, 'function breakpoint');
  const { client, threadId } = s;
  await s.at('inside');
  const frames = await s.frames();
  assert.deepStrictEqual(frames.map((f) => f.name), ['twice', 'main']);
  const modules = (await client.modulesRequest({})).body.modules;
  assert.deepStrictEqual(modules.map((m) => m.name), ['compute shader 1, main']);
  const sources = (await client.customRequest('loadedSources')).body.sources;
  assert.deepStrictEqual(sources.map((f) => f.name), ['case.comp', 'shader-1.spvasm']);
  const { sourceReference } = sources[1];
  assert((await client.sourceRequest({ sourceReference, source: sources[1] })).body.content.includes('OpEntryPoint'));
  const lines = (await client.customRequest('breakpointLocations', { source, line: 1, endLine: line('leaving') })).body.breakpoints;
  assert.deepStrictEqual(lines.map((b) => b.line), [line('inside'), line('leaving')]);

  await s.stops(() => client.restartFrameRequest({ frameId: frames[1].id }), 'restart');
  await s.at('begin');
  await client.setFunctionBreakpointsRequest({ breakpoints: [] });
  const set = (await client.setBreakpointsRequest({ source, breakpoints: [{ line: line('end') }] })).body.breakpoints;
  assert(set[0].verified);
  await s.stops(() => client.continueRequest({ threadId }), 'breakpoint');
  await s.at('end');
  const { targets } = (await client.gotoTargetsRequest({ source, line: line('behind') })).body;
  await s.stops(() => client.gotoRequest({ threadId, targetId: targets[0].id }), 'goto');
  await s.at('behind');

  const memoryReference = (await s.frames())[0].instructionPointerReference;
  const { instructions } = (await client.disassembleRequest({ memoryReference, instructionCount: 4 })).body;
  assert.strictEqual(instructions.length, 4);
  const atInstruction = { instructionReference: memoryReference, offset: 2 };
  await client.customRequest('setInstructionBreakpoints', { breakpoints: [atInstruction] });
  await s.stops(() => client.continueRequest({ threadId }), 'instruction breakpoint');
  assert.strictEqual((await s.frames())[0].instructionPointerReference, instructions[2].address);
  await s.ends(source);
}

/// What is changed: variables, parts of them by expressions, memory.
async function values() {
  const s = await Session.begin({ program: scene, args: ['compute'], stop: one }, (client) =>
    client.setBreakpointsRequest({ source, breakpoints: [{ line: line('barrier') }] }));
  const { client } = s;
  const frameId = (await s.frames())[0].id;
  const globals = await s.scope('Globals');
  const stored = await client.setVariableRequest({ variablesReference: globals.variablesReference, name: 'counter', value: '1000' });
  assert.strictEqual(stored.body.value, '1000');
  const set = await client.customRequest('setExpression', { expression: 'all[3]', value: '77u', frameId });
  assert.strictEqual(set.body.value, '77');
  const { memoryReference } = globals.all;
  const read = async (offset) =>
    Buffer.from((await client.customRequest('readMemory', { memoryReference, offset, count: 4 })).body.data, 'base64').readUInt32LE();
  assert.strictEqual(await read(12), 77);
  const data = Buffer.from([5, 1, 0, 0]).toString('base64');
  assert.strictEqual((await client.customRequest('writeMemory', { memoryReference, offset: 16, data })).body.bytesWritten, 4);
  assert.strictEqual(await s.value('all[4]'), '261');
  const labels = (await client.completionsRequest({ frameId, text: '1 + mi', column: 7 })).body.targets.map((t) => t.label);
  assert.deepStrictEqual(labels, ['min', 'mine', 'mix']);
  await assert.rejects(client.exceptionInfoRequest({ threadId: s.threadId }), /no exception/);
  await client.customRequest('cancel', { requestId: 99999 });
  await s.ends(source);
}

async function pauseAndLogs() {
  const s = await Session.begin({ program: scene, args: ['compute'], stop: one }, async (client) => {
    await client.setBreakpointsRequest({ source, breakpoints: [{ line: line('loop'), logMessage: 'i is {i}, {id}' }] });
    await client.pauseRequest({ threadId: 1 });
  }, 'pause');
  const exited = s.client.waitForEvent('exited');
  await s.client.continueRequest({ threadId: s.threadId });
  await exited;
  for (const i of [0, 1, 2]) assert(s.output.includes(`i is ${i}, 10\n`), s.output);
  await s.client.stop();
}

async function exceptions() {
  const s = await Session.begin({ program: scene, args: ['faults'] }, (client) =>
    client.setExceptionBreakpointsRequest({ filters: ['division'] }), 'exception');
  await s.at('division', places('kFaults'));
  const info = (await s.client.exceptionInfoRequest({ threadId: s.threadId })).body;
  assert(info.description.includes('zero'), info.description);
  await s.ends();
}

async function terminate() {
  const s = await Session.begin({ program: scene, args: ['compute'], stop: one }, (client) =>
    client.setBreakpointsRequest({ source, breakpoints: [{ line: line('behind') }] }));
  const exited = s.client.waitForEvent('exited');
  await s.client.terminateRequest();
  assert.strictEqual((await exited).body.exitCode, 128 + 15);
  await s.client.stop();
}

/// A program that runs already, waits, and lives on after the debugger.
async function attaching() {
  const address = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'etzel-')), 'socket');
  const program = spawn(scene, ['compute'], {
    env: { ...process.env, VK_DRIVER_FILES: driver, VK_ICD_FILENAMES: driver, ETZEL_THREADS: '1', ETZEL_DEBUGGER: `unix:${address};wait` },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  program.stdout.on('data', (text) => (output += text));
  const ended = new Promise((resolve) => program.on('close', resolve));
  while (!fs.existsSync(address)) await new Promise((resolve) => setTimeout(resolve, 20));
  const s = await Session.begin({ address: `unix:${address}`, stop: one }, (client) =>
    client.setBreakpointsRequest({ source, breakpoints: [{ line: line('behind') }] }));
  await s.at('behind');
  await s.client.disconnectRequest({});
  assert.strictEqual(await ended, 0);
  assert(output.startsWith('sums '), output);
  fs.rmSync(path.dirname(address), { recursive: true });
}

/// A program of the tour, at a line of a shader.
function tour(program, file, at, stop) {
  const launch = { program: path.join(programs, program), cwd: folder, stop };
  return Session.begin(launch, (client) => client.setBreakpointsRequest({ source: { path: file }, breakpoints: [{ line: at }] }));
}

async function toneMapping() {
  const s = await tour('etzel-tone-mapping', 'tone_mapped_average.frag', 12, { pixel: [40, 33], draw: 1 });
  assert.strictEqual(await s.value('light'), '(4.015625, 3.515625, 2.265625)');
  await s.stops(() => s.client.stepInRequest({ threadId: s.threadId }));
  assert.strictEqual((await s.frames())[0].name, 'toneMapped');
  assert.strictEqual(await s.value('light / (1.0 + light)'), '(0.80062306, 0.7785467, 0.6937799)');
  await s.ends({ path: 'tone_mapped_average.frag' });
}

async function centroid() {
  const s = await tour('etzel-centroid', 'label.frag', 6, { pixel: [40, 30], draw: 0 });
  assert.strictEqual(await s.value('at'), '(1.0031738, 0.5125)');
  assert.strictEqual(await s.value('beside'), 'true');
  await s.ends({ path: 'label.frag' });
}

async function mask() {
  const s = await tour('etzel-mask', 'resolve_by_mask.frag', 10, { pixel: [40, 30], draw: 1 });
  assert.strictEqual(await s.value('mask'), '257');
  let info = {};
  for (let steps = 0; !info.dataId && steps < 4; ++steps) {  // it is declared in the loop
    if (steps) await s.stops(() => s.client.nextRequest({ threadId: s.threadId }));
    info = (await s.client.dataBreakpointInfoRequest({ name: 'fragment', frameId: (await s.frames())[0].id })).body;
  }
  await s.client.setBreakpointsRequest({ source: { path: 'resolve_by_mask.frag' }, breakpoints: [] });
  await s.client.setDataBreakpointsRequest({ breakpoints: [{ dataId: info.dataId }] });
  const seen = [];
  for (let i = 0; i < 2; ++i) {
    await s.stops(() => s.client.continueRequest({ threadId: s.threadId }), 'data breakpoint');
    seen.push([await s.value('s'), await s.value('fragment')]);
  }
  assert.deepStrictEqual(seen, [['2', '1'], ['3', '0']]);
  await s.stops(() => s.client.reverseContinueRequest({ threadId: s.threadId }), 'data breakpoint');
  await s.ends({ path: 'resolve_by_mask.frag' });
}

async function earlyDepth() {
  const s = await tour('etzel-early-depth', 'fence.frag', 8, { pixel: [19, 30], draw: 0 });
  assert.strictEqual(await s.value('board.x > 0.5'), 'true');
  const pages = {};
  for (let i = 0; i < 2; ++i) {
    s.threadId = await s.stops(() => s.client.nextRequest({ threadId: s.threadId }));
    const { name } = (await s.frames())[0];
    pages[name] = await s.scope(name);
  }
  const tests = pages['depth and stencil, before the shader'];
  assert(tests['sample 3'].value.endsWith('0 LESS 1 passes; then discard takes it'), tests['sample 3'].value);
  const events = (await s.client.customRequest('etzel/pixelHistory')).body.events;
  assert(events.some((e) => e.event === 'draw' && e.kept === 0), 'nothing of the fence is kept');
  await s.ends({ path: 'fence.frag' });
}

async function main() {
  for (const session of [stepping, placesInSources, values, pauseAndLogs, exceptions, terminate, attaching, toneMapping, centroid, mask, earlyDepth]) {
    console.log(session.name);
    await session();
  }
  console.log('every request was answered as its client expects');
}

main().then(() => process.exit(0), (error) => {
  console.error(error);
  process.exit(1);
});
