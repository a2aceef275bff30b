// The extension for VS Code, with a stand-in for the editor: what it registers, asks of the adapter, and shows.
// usage: node extension_test.js EXTENSION.JS
const assert = require('assert');
const Module = require('module');

const commands = {}, asked = [], errors = [], panels = [];
let factory, typed, validates, more = '';
const image = { variable: { name: 'drawn', evaluateName: 'scene.drawn' }, container: { variablesReference: 1234 } };
const session = {
  async customRequest(name, args) {
    asked.push([name, args]);
    if (args.level === 9) throw new Error('the image has 2 levels');
    return { text: `16 x 16, <R8G8B8A8_UNORM>${more}`, mimeType: 'image/png', data: 'iVBORw0KGgo=' };
  },
};
const vscode = {
  DebugAdapterExecutable: class {
    constructor(command, args) {
      Object.assign(this, { command, args });
    }
  },
  ViewColumn: { Beside: -2 },
  workspace: { getConfiguration: () => ({ get: (name) => ({ adapter: '/opt/etzel-debug' })[name] }) },
  commands: { registerCommand: (name, run) => (commands[name] = run) },
  debug: {
    activeDebugSession: session,
    registerDebugConfigurationProvider: () => ({}),
    registerDebugAdapterDescriptorFactory: (type, made) => ((factory = made), assert.strictEqual(type, 'etzel')),
  },
  window: {
    createWebviewPanel(type, title, column) {
      assert.strictEqual(column, -2);
      panels.push({ title, webview: { html: '' } });
      return panels[panels.length - 1];
    },
    showErrorMessage: (text) => errors.push(text),
    async showInputBox(options) {
      validates = options.validateInput;
      return typed;
    },
  },
};
const load = Module._load;
Module._load = (name, ...rest) => (name === 'vscode' ? vscode : load(name, ...rest));

async function main() {
  const context = { subscriptions: [] };
  require(process.argv[2]).activate(context);
  assert(context.subscriptions.length >= 2);
  const started = factory.createDebugAdapterDescriptor();
  assert.deepStrictEqual([started.command, started.args], ['/opt/etzel-debug', ['--dap']]);

  // A picture of the first level, layer and sample.
  await commands['etzel.showPicture'](image);
  assert.deepStrictEqual(asked.pop(), ['etzel/picture', { expression: 'scene.drawn', variablesReference: 1234 }]);
  const { title, webview } = panels.pop();
  assert.strictEqual(title, 'scene.drawn');
  assert(webview.html.includes('src="data:image/png;base64,iVBORw0KGgo="'), webview.html);
  assert(webview.html.includes('scene.drawn: 16 x 16, &#60;R8G8B8A8_UNORM&#62;'), webview.html);

  // Of an image with several: of those that somebody names.
  for (more of [', 2 levels', ', 3 layers; LINEAR', ', 6 faces', ', 4 samples']) {
    typed = ' 1, 2,3';
    await commands['etzel.showPicture'](image);
    assert.deepStrictEqual(asked.pop()[1], { expression: 'scene.drawn', variablesReference: 1234, level: 1, layer: 2, sample: 3 });
    assert.deepStrictEqual(asked.pop()[1], { expression: 'scene.drawn', variablesReference: 1234 });
    assert(panels.pop().webview.html.includes('scene.drawn, level 1, layer 2, sample 3: 16 x 16'));
  }
  typed = '0, 0, 0';
  await commands['etzel.showPicture'](image);
  assert(panels.pop().webview.html.includes('scene.drawn: 16 x 16'));
  assert.strictEqual(asked.splice(0).length, 1, 'that one is there already');
  assert.strictEqual(validates('0, 0, 0'), undefined);
  for (const wrong of ['', '1', '1, 2', '1, 2, x', '1, 2, 3, 4', '-1, 0, 0']) assert(validates(wrong), wrong);

  // What the adapter refuses is told; who says nothing sees nothing.
  typed = '9, 0, 0';
  await commands['etzel.showPicture'](image);
  assert.deepStrictEqual(errors, ['the image has 2 levels']);
  typed = undefined;
  await commands['etzel.showPicture'](image);
  assert.strictEqual(asked.splice(0).length, 3);
  await commands['etzel.showPicture'](undefined);
  vscode.debug.activeDebugSession = undefined;
  await commands['etzel.showPicture'](image);
  assert.deepStrictEqual([asked.length, panels.length, errors.length], [0, 0, 1]);
}

main().then(() => process.exit(0), (error) => {
  console.error(error);
  process.exit(1);
});
