// `npm start`: sets up, builds, serves the demo page and prints its address. Options: --port N
// (default 8080, or the next free one), --host URL (another site that the page may load models
// from; may be repeated).

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from './build.mjs';
import { kSourceFolder } from './cache.mjs';
import { runMain, say, seconds } from './process.mjs';
import { contentPolicy, serve } from './serve.mjs';

const kBackgroundModel = 'all-MiniLM-L6-v2';
const kFirstPort = 8080;

/** Converted models that the page may offer: name → file, undefined while it is being prepared. */
const models = new Map();

/** Answers /models/index.json with [{name, url}]; the url is absent while a model is being prepared. */
function answerModels(request, response, headers) {
  if (!/^\/models\/index\.json(\?|$)/.test(request.url)) return false;
  const list = [...models].map(([name, file]) => ({
    name,
    ...(file && { url: `./models/${name}/${basename(file)}` }),
  }));
  response.writeHead(200, {
    ...headers,
    'Content-Type': 'application/json',
    'Cache-Control': 'no-store',
  });
  response.end(JSON.stringify(list));
  return true;
}

/** Obtains a model while the page is already served; its file's path is the script's last line. */
function prepareModel(name, folders) {
  const script = join(kSourceFolder, 'models', 'fetch.mjs');
  if (!existsSync(script)) return;
  const start = performance.now();
  models.set(name, undefined);
  const child = spawn(process.execPath, [script, name], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  child.on('error', (error) => {
    models.delete(name);
    say(`${name} is not available: ${error.message}`);
  });
  child.on('close', (code) => {
    const file = output.trim().split('\n').at(-1);
    if (code !== 0 || !file || !existsSync(file)) {
      models.delete(name);
      say(
        `${name} could not be prepared (models/fetch.mjs ended with ${code}); the page goes on with the default model`,
      );
      return;
    }
    models.set(name, file);
    folders.unshift([`/models/${name}/`, join(file, '..')]);
    say(`${name} is ready (${seconds(start)}): the page offers it in its list of models`);
  });
  process.on('exit', () => child.kill());
}

async function listen(options, port) {
  for (let tries = 0; ; tries++) {
    try {
      return await serve({ ...options, port: port === undefined ? kFirstPort + tries : port });
    } catch (error) {
      if (error.code !== 'EADDRINUSE' || port !== undefined || tries > 50) throw error;
    }
  }
}

async function main() {
  const start = performance.now();
  const { values } = parseArgs({
    options: { port: { type: 'string' }, host: { type: 'string', multiple: true, default: [] } },
  });
  await build();
  const folders = [['/', join(kSourceFolder, 'build', 'demo')]];
  const options = { folders, csp: contentPolicy(values.host), answer: answerModels };
  const site = await listen(options, values.port === undefined ? undefined : Number(values.port));
  say(`\nready in ${seconds(start)}; stop with Ctrl+C\n`);
  console.log(site.url);
  prepareModel(kBackgroundModel, folders);
}

runMain(main);
