#!/usr/bin/env node
// Runs a program on Etzel: its exit status, and signals on their way to it, are the program's.
'use strict';

const {spawn} = require('node:child_process');
const os = require('node:os');
const {environment} = require('./index.js');

const usage = `usage: etzel-run [--wgpu] PROGRAM [ARGUMENT…]    run a program on Etzel
       etzel-run [--wgpu] --env                 print what a shell would set for it
  --wgpu   for programs on wgpu (Deno, Bevy), which hides drivers that report no conformance version`;

const words = process.argv.slice(2);
const wgpu = words[0] === '--wgpu';
if (wgpu) words.shift();
const variables = environment({wgpu});
if (words[0] === '--env') {
  for (const [name, value] of Object.entries(variables)) console.log(`export ${name}='${value}'`);
} else if (words.length === 0 || words[0].startsWith('-')) {
  const asked = words[0] === '--help' || words[0] === '-h';
  (asked ? console.log : console.error)(usage);
  process.exitCode = asked ? 0 : 2;
} else {
  const child = spawn(words[0], words.slice(1), {stdio: 'inherit', env: {...process.env, ...variables}});
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    console.error(`etzel-run: ${error.message}`);
    process.exitCode = 127;
  });
  child.on('exit', (status, signal) => (process.exitCode = signal ? 128 + os.constants.signals[signal] : status));
}
