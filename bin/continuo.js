#!/usr/bin/env node
// The launcher. Continuo needs Node 24 (for node:sqlite); on an older Node it starts the one that
// `npm ci` installed next to it, so that a clone works whatever the system has. Plain JavaScript of
// an old Node's vintage on purpose: it has to be readable by the Node that it replaces. What the
// common case does not need is not loaded.

const main = new URL("../dist/cli/main.js", import.meta.url);

if (process.platform === "win32") {
  fail(
    "Windows is not supported: run Continuo in WSL (https://learn.microsoft.com/windows/wsl), where it is Linux.",
  );
}
if (Number(process.versions.node.split(".")[0]) >= 24) await start();
else await startWithNewerNode();

async function start() {
  try {
    await import(main.href);
  } catch (error) {
    if (error.code !== "ERR_MODULE_NOT_FOUND" || error.url !== main.href) throw error;
    await failWithoutBuild();
  }
}

async function failWithoutBuild() {
  const { fileURLToPath } = await import("node:url");
  fail(`dist/ is missing: run \`npm ci\` in ${fileURLToPath(new URL("..", import.meta.url))}`);
}

function fail(message) {
  process.stderr.write(`continuo: ${message}\n`);
  process.exit(1);
}

async function startWithNewerNode() {
  const { spawn } = await import("node:child_process");
  const { existsSync } = await import("node:fs");
  const { fileURLToPath } = await import("node:url");
  const node = fileURLToPath(new URL("../node_modules/node/bin/node", import.meta.url));
  if (!existsSync(fileURLToPath(main))) await failWithoutBuild();
  if (!existsSync(node)) {
    fail(
      `this is Node ${process.versions.node}, and Node 24 or newer is needed: install it, or run Continuo from a clone, which brings its own`,
    );
  }
  const child = spawn(node, [fileURLToPath(main), ...process.argv.slice(2)], { stdio: "inherit" });
  // The terminal sends Ctrl-C to both; the child decides what it means. A signal that is sent only to us is passed on.
  process.on("SIGINT", () => undefined);
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("error", (error) => fail(error.message));
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? 128 + ({ SIGINT: 2, SIGKILL: 9, SIGTERM: 15, SIGHUP: 1 }[signal] ?? 0);
  });
}
