// Tells the editor how to start the debug adapter. Everything else is the adapter's.
const vscode = require('vscode');

function activate(context) {
  context.subscriptions.push(vscode.commands.registerCommand('etzel.goToInvocation', goToInvocation));
  const factory = {
    createDebugAdapterDescriptor() {
      const adapter = vscode.workspace.getConfiguration('etzel').get('adapter');
      return new vscode.DebugAdapterExecutable(adapter, ['--dap']);
    },
  };
  context.subscriptions.push(vscode.commands.registerCommand('etzel.showPicture', showPicture));
  context.subscriptions.push(vscode.debug.registerDebugAdapterDescriptorFactory('etzel', factory));
}

/// What "2, 0, 3" says; null where it is something else.
function partIn(text) {
  const numbers = text.match(/^\s*(\d+)\s*,\s*(\d+)\s*,\s*(\d+)\s*$/);
  return numbers && { level: Number(numbers[1]), layer: Number(numbers[2]), sample: Number(numbers[3]) };
}

/// The level, layer or slice, and sample that somebody wants to see of an image with several; undefined: none.
async function askForPart(image) {
  const text = await vscode.window.showInputBox({
    prompt: `Level, layer and sample of ${image}`,
    value: '0, 0, 0',
    validateInput: (typed) => (partIn(typed) ? undefined : 'three numbers: level, layer, sample'),
  });
  return (text !== undefined && partIn(text)) || undefined;
}

/// A picture of an image variable, beside the source.
async function showPicture(item) {
  const session = vscode.debug.activeDebugSession;
  if (!session || !item || !item.variable) return;
  const name = item.variable.evaluateName || item.variable.name;
  const pictureOf = (part) =>
    session.customRequest('etzel/picture', {
      expression: name,
      variablesReference: item.container.variablesReference,
      ...part,
    });
  try {
    let picture = await pictureOf({});
    let title = name;
    if (/ x \d+ x |\d (levels|layers|faces|samples)\b/.test(picture.text)) {
      const part = await askForPart(picture.text);
      if (!part) return;
      if (part.level || part.layer || part.sample) {
        picture = await pictureOf(part);
        title += `, level ${part.level}, layer ${part.layer}, sample ${part.sample}`;
      }
    }
    const panel = vscode.window.createWebviewPanel('etzel.picture', name, vscode.ViewColumn.Beside, {});
    const text = `${title}: ${picture.text}`.replace(/[&<>]/g, (c) => `&#${c.charCodeAt(0)};`);
    panel.webview.html = `<!DOCTYPE html><meta http-equiv="Content-Security-Policy" content="default-src 'none';
      img-src data:; style-src 'unsafe-inline'"><p>${text}</p>
      <img style="image-rendering: pixelated; min-width: 50%" src="data:${picture.mimeType};base64,${picture.data}">`;
  } catch (error) {
    vscode.window.showErrorMessage(error.message);
  }
}

/// The editor looks at another invocation of those that are stopped, also at one that is not listed.
async function goToInvocation() {
  const session = vscode.debug.activeDebugSession;
  if (!session || session.type !== 'etzel') return;
  const number = await vscode.window.showInputBox({
    prompt: 'Its number in the group, or its thread',
    validateInput: (text) => (/^[0-9]+$/.test(text) ? undefined : 'a number'),
  });
  if (!number) return;
  const item = vscode.debug.activeStackItem;
  const frame = item && item.frameId !== undefined ? { frameId: item.frameId } : {};
  try {
    await session.customRequest('evaluate', { expression: `$thread ${number}`, context: 'repl', ...frame });
  } catch (error) {
    vscode.window.showErrorMessage(error.message);
  }
}

module.exports = { activate, deactivate() {} };
