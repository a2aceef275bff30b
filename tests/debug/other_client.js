// The requests of a debugging session, asked by Microsoft's test client for debug adapters.
// usage: node other_client.js ADAPTER SCENE DRIVER
const assert = require('assert');
const fs = require('fs');
const path = require('path');
const { DebugClient } = require('@vscode/debugadapter-testsupport');

const [adapter, scene, driver] = process.argv.slice(2);
const shader = fs.readFileSync(path.join(__dirname, 'scene.cpp'), 'utf8').match(/kSums = R"\(([^]*?)\)";/)[1].split('\n');
const line = (name) => shader.findIndex((text) => text.includes(`// @${name}`)) + 1;
const source = { path: '/home/me/case.comp' };

async function stopped(client, ask, reason) {
  const event = client.waitForEvent('stopped');
  await ask();
  const body = (await event).body;
  assert.strictEqual(body.reason, reason);
  return body.threadId;
}

async function main() {
  const client = new DebugClient(adapter, '--dap', 'etzel');
  client.defaultTimeout = 60000;
  await client.start();
  const capabilities = (await client.initializeRequest()).body;
  assert(capabilities.supportsStepBack && capabilities.supportsConditionalBreakpoints);
  let output = '';
  client.on('output', (event) => (output += event.body.output));
  const initialized = client.waitForEvent('initialized');
  await client.launchRequest({ program: scene, args: ['compute'], driver, env: { ETZEL_THREADS: '1' },
                               stop: { workgroup: [1, 0, 0], invocation: 10 } });
  await initialized;
  await client.setBreakpointsRequest({ source, breakpoints: [{ line: line('behind') }, { line: line('loop'), condition: 'i == 1u' }] });
  await client.setExceptionBreakpointsRequest({ filters: ['nan'] });
  const event = client.waitForEvent('stopped');
  await client.configurationDoneRequest();
  const threadId = (await event).body.threadId;

  const top = async () => (await client.stackTraceRequest({ threadId })).body.stackFrames[0];
  const at = async (name) => assert.strictEqual((await top()).line, line(name));
  const value = async (expression) =>
    (await client.evaluateRequest({ expression, frameId: (await top()).id, context: 'watch' })).body.result;
  await at('behind');
  assert.strictEqual((await top()).source.path, source.path);
  assert.strictEqual((await client.threadsRequest()).body.threads.length, 16);
  const scopes = (await client.scopesRequest({ frameId: (await top()).id })).body.scopes;
  const locals = (await client.variablesRequest({ variablesReference: scopes[0].variablesReference })).body.variables;
  assert.strictEqual(locals.find((v) => v.name === 'mine').value, '30');
  assert.strictEqual(await value('pair.second * 2.0'), '(20, 1)');

  await stopped(client, () => client.stepBackRequest({ threadId }), 'step');
  await at('call');
  await stopped(client, () => client.stepInRequest({ threadId }), 'step');
  await at('inside');
  await stopped(client, () => client.stepOutRequest({ threadId }), 'step');
  await stopped(client, () => client.nextRequest({ threadId }), 'step');
  await at('behind');
  await stopped(client, () => client.continueRequest({ threadId }), 'breakpoint');
  await at('loop');
  assert.strictEqual(await value('i'), '1');
  const info = (await client.customRequest('dataBreakpointInfo', { name: 'next', frameId: (await top()).id })).body;
  await client.customRequest('setDataBreakpoints', { breakpoints: [{ dataId: info.dataId }] });
  await stopped(client, () => client.continueRequest({ threadId }), 'data breakpoint');
  await stopped(client, () => client.reverseContinueRequest({ threadId }), 'data breakpoint');

  await client.customRequest('setDataBreakpoints', { breakpoints: [] });
  await client.setBreakpointsRequest({ source, breakpoints: [] });
  const exited = client.waitForEvent('exited'), terminated = client.waitForEvent('terminated');
  await client.continueRequest({ threadId });
  assert.strictEqual((await exited).body.exitCode, 0);
  await terminated;
  assert(output.startsWith('sums '), output);
  await client.stop();
  console.log('every request was answered as its client expects');
}

main().then(() => process.exit(0), (error) => {
  console.error(error);
  process.exit(1);
});
