/** A person's folder with the packages that a page tells people to install, for tests that follow the page. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { KillableProgram } from "./killable.ts";

const ROOT = join(import.meta.dirname, "..");

export interface Project {
  readonly folder: string;
  /** Starts a program of the folder, and kills it as soon as it prints the text, if one is given. */
  run(
    file: string,
    options?: {
      readonly args?: readonly string[];
      readonly killAt?: string;
      readonly env?: Readonly<Record<string, string>>;
    },
  ): Promise<string>;
  remove(): void;
}

/** @param adapter the package; its framework is what `scripts/frameworks.ts` installed for it */
export function newProject(adapter: string): Project {
  const folder = mkdtempSync(join(tmpdir(), `continuo-${adapter}-project-`));
  const modules = join(folder, "node_modules");
  mkdirSync(modules);
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  const installed = join(ROOT, "frameworks", adapter, "node_modules");
  for (const name of readdirSync(installed)) {
    if (!name.startsWith(".")) symlinkSync(join(installed, name), join(modules, name));
  }
  mkdirSync(join(modules, "@continuo"));
  for (const name of readdirSync(join(ROOT, "packages"))) {
    symlinkSync(join(ROOT, "packages", name), join(modules, "@continuo", name));
  }
  return {
    folder,
    run: async (file, { args = [], killAt, env = {} } = {}) => {
      const child = spawn(process.execPath, [file, ...args], {
        cwd: folder,
        env: { ...process.env, ...env },
        stdio: ["ignore", "pipe", "pipe"],
      });
      let text = "";
      for (const stream of [child.stdout, child.stderr]) {
        stream.on("data", (chunk) => {
          text += chunk;
          if (killAt !== undefined && text.includes(killAt)) child.kill("SIGKILL");
        });
      }
      await once(child, "close");
      return text;
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Saves the files of a guide; returns its text. */
export function saveFiles(project: Project, guide: string): string {
  const text = readFileSync(join(ROOT, guide), "utf8");
  for (const [, name = "", code = ""] of text.matchAll(
    /Save this as `([\w-]+\.jsx?)`[\s\S]*?```jsx?\n([\s\S]*?)```/gu,
  )) {
    writeFileSync(join(project.folder, name), code);
  }
  return text;
}

/**
 * Asks the server of a guide as the guide describes, and kills the server in the middle of the answer.
 * @returns the printed output, and the output that the guide shows
 */
export async function askThroughKill(
  project: Project,
  guide: string,
  { server, port }: { readonly server: KillableProgram; readonly port: number },
): Promise<readonly [printed: string, expected: string | undefined]> {
  const text = saveFiles(project, guide);
  await server.start();
  const asking = spawn(process.execPath, ["ask.js", String(port)], {
    cwd: project.folder,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const done = once(asking, "close");
  let printed = "";
  const begun = new Promise<void>((resolve) => {
    asking.stdout.on("data", (part) => {
      printed += part;
      if (printed.includes("the answer begins")) resolve();
    });
  });
  await Promise.race([begun, done]);
  await server.kill();
  await server.start();
  await done;
  return [printed, /```text\n([\s\S]*?)```/u.exec(text)?.[1]];
}

/** Saves the first program of a page as `main.js`. */
export function saveProgram(project: Project, page: string): void {
  const [, code] = /```js\n([\s\S]*?)```/u.exec(readFileSync(join(ROOT, page), "utf8")) ?? [];
  if (code === undefined) throw new Error(`${page} has no program`);
  writeFileSync(join(project.folder, "main.js"), code);
}
