// Where the driver of this package lies, and the environment in which programs find it and nothing else.
'use strict';

const fs = require('node:fs');
const path = require('node:path');

const folder = path.join(__dirname, 'tree', 'share', 'vulkan', 'icd.d');

/** The driver's manifest, which the Vulkan loader reads. */
function manifest() {
  const found = fs.readdirSync(folder).filter((name) => name.endsWith('.json'));
  return path.join(folder, found[0]);
}

/**
 * The variables that make Etzel the only Vulkan driver of a program. `wgpu`: of one that stands on wgpu (Deno, say), which
 * hides drivers that report no conformance version.
 */
function environment({wgpu = false} = {}) {
  const variables = {VK_DRIVER_FILES: manifest(), VK_ICD_FILENAMES: manifest()};
  if (wgpu) variables.ETZEL_CONFORMANCE_VERSION = '1.3.9.1';
  return variables;
}

/** Sets them for this process, before anything in it makes a Vulkan instance, and for those that it starts. */
function use(options) {
  Object.assign(process.env, environment(options));
}

module.exports = {manifest, environment, use};
