// Tells the editor how to start the debug adapter. Everything else is the adapter's.
const vscode = require('vscode');

function activate(context) {
  const factory = {
    createDebugAdapterDescriptor() {
      const adapter = vscode.workspace.getConfiguration('etzel').get('adapter');
      return new vscode.DebugAdapterExecutable(adapter, ['--dap']);
    },
  };
  context.subscriptions.push(vscode.debug.registerDebugAdapterDescriptorFactory('etzel', factory));
}

module.exports = { activate, deactivate() {} };
