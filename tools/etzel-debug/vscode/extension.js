// Tells the editor how to start the debug adapter. Everything else is the adapter's.
const vscode = require('vscode');

function activate(context) {
  const factory = {
    createDebugAdapterDescriptor() {
      const adapter = vscode.workspace.getConfiguration('etzel').get('adapter');
      return new vscode.DebugAdapterExecutable(adapter, ['--dap']);
    },
  };
  context.subscriptions.push(vscode.commands.registerCommand('etzel.showPicture', showPicture));
  context.subscriptions.push(vscode.debug.registerDebugAdapterDescriptorFactory('etzel', factory));
}

/// A picture of an image variable, beside the source.
async function showPicture(item) {
  const session = vscode.debug.activeDebugSession;
  if (!session || !item || !item.variable) return;
  const name = item.variable.evaluateName || item.variable.name;
  try {
    const picture = await session.customRequest('etzel/picture', {
      expression: name,
      variablesReference: item.container.variablesReference,
    });
    const panel = vscode.window.createWebviewPanel('etzel.picture', name, vscode.ViewColumn.Beside, {});
    const text = `${name}: ${picture.text}`.replace(/[&<>]/g, (c) => `&#${c.charCodeAt(0)};`);
    panel.webview.html = `<!DOCTYPE html><meta http-equiv="Content-Security-Policy" content="default-src 'none';
      img-src data:; style-src 'unsafe-inline'"><p>${text}</p>
      <img style="image-rendering: pixelated; min-width: 50%" src="data:${picture.mimeType};base64,${picture.data}">`;
  } catch (error) {
    vscode.window.showErrorMessage(error.message);
  }
}

module.exports = { activate, deactivate() {} };
