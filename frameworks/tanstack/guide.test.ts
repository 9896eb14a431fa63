/** docs/guides/tanstack.md and the page of the package, followed from an empty folder. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { newProject, type Project, saveFiles, saveProgram } from "../project.ts";

let project: Project;
let server: Awaited<ReturnType<typeof startServer>> | undefined;
beforeEach(() => {
  project = newProject("tanstack");
});
afterEach(async () => {
  await server?.kill();
  server = undefined;
  project.remove();
});

async function freePort(): Promise<number> {
  const listening = createServer().listen(0, "127.0.0.1");
  await once(listening, "listening");
  const { port } = listening.address() as AddressInfo;
  await new Promise((closed) => listening.close(closed));
  return port;
}

async function startServer(port: number): Promise<{ kill(): Promise<void> }> {
  const child = spawn(process.execPath, ["server.js", String(port)], {
    cwd: project.folder,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exit = once(child, "exit");
  await Promise.race([once(child.stdout, "data"), exit.then(() => Promise.reject(new Error("no server")))]);
  return {
    kill: async () => {
      child.kill("SIGKILL");
      await exit;
    },
  };
}

test("the guide is followed: a reader whose server is killed has the answer once", async () => {
  const guide = saveFiles(project, "docs/guides/tanstack.md");
  const port = await freePort();
  server = await startServer(port);
  const asking = spawn(process.execPath, ["ask.js", String(port)], {
    cwd: project.folder,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let printed = "";
  asking.stdout.on("data", (text) => {
    printed += text;
  });
  const done = once(asking, "close");
  await expect.poll(() => printed, { timeout: 60_000 }).toContain("the answer begins");
  await server.kill();
  server = await startServer(port);
  await done;
  const [, expected] = /```text\n([\s\S]*?)```/u.exec(guide) ?? [];
  expect(printed).toBe(expected);
});

test("the program of the package's page reads what comes after an event", async () => {
  saveProgram(project, "packages/tanstack/README.md");
  expect(await project.run("main.js")).toBe("3\n");
});
