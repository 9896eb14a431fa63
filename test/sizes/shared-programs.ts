/** The programs and servers that `services.ts` shares among test files. */

import { randomUUID } from "node:crypto";
import { present } from "@continuo/core/model";
import { inject } from "vitest";

/** The command, bundled from `src/`: a module to start with Node. */
export function bundledCommand(): Promise<string> {
  return ask("/command");
}

/** The file next to the command with its chunks, with the modules of each. */
export const CHUNKS = "chunks.json";

/**
 * A program that a test starts many times, bundled: a module to start with Node.
 * @param path of its source, below the project's root
 */
export function bundledProgram(path: string): Promise<string> {
  return ask(`/program/${path}`);
}

/** The folder with the builds of the extension, `chrome-mv3` and `firefox-mv3`. */
export function builtExtension(): Promise<string> {
  return ask("/extension");
}

/**
 * Builds `dist/web` unless it is newer than its sources, so that sessions can be exported as pages. Returns the folder, in
 * which no test may write.
 */
export async function builtViewer(): Promise<string> {
  return await ask("/viewer");
}

/**
 * The URL of a new, empty database on the Postgres server that all test files share. The server never syncs:
 * a test that kills it starts one of its own.
 */
export async function newPostgresDatabase(): Promise<string> {
  const url = await ask("/postgres");
  const { default: pg } = await import("pg");
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  try {
    await client.query(`create database ${name}`);
  } finally {
    await client.end();
  }
  const database = new URL(url);
  database.pathname = `/${name}`;
  return database.href;
}

/**
 * The variable for the folder where Node caches the compiled code of this run, for processes that get an environment of
 * their own. With it, a command starts from its sources in half of the processor time. The command withholds it from
 * agents in folders that are not trusted, and says so.
 */
export function compiledCode(): Readonly<Record<string, string>> {
  const { NODE_COMPILE_CACHE } = process.env;
  return present({ NODE_COMPILE_CACHE });
}

async function ask(service: string): Promise<string> {
  const response = await fetch(`${inject("services")}${service}`);
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text;
}
