/** Runs long SQLite statements in a separate thread with its own connection, so that the event loop is not blocked. */

import { Worker } from "node:worker_threads";
import { LIMITS, type LongStatement } from "../engine/index.ts";

export type ThreadRow = Readonly<Record<string, unknown>>;

/** The program of the thread. It is a string, because a bundle of this module has no file for it. */
const PROGRAM = `
const { DatabaseSync } = require("node:sqlite");
const { parentPort, workerData } = require("node:worker_threads");
const database = new DatabaseSync(workerData.file, { timeout: workerData.lockWaitMs });
try {
  const run = ({ sql, parameters = [], expected }) => {
    const rows = database.prepare(sql).all(...parameters);
    if (expected !== "none" || rows.length === 0) return rows;
    throw Object.assign(new Error("a row was found"), { statement: sql });
  };
  parentPort.postMessage({ results: workerData.statements.map(run) });
} catch (error) {
  const { message, code, errcode, errstr, statement } = error;
  parentPort.postMessage({ failure: { message, code, errcode, errstr, statement } });
} finally {
  database.close();
}
`;

interface FromThread {
  readonly results: readonly (readonly ThreadRow[])[];
  readonly failure?: { readonly message: string };
}

/**
 * Runs the statements in order on an existing database, and resolves with the rows of each. A transaction that they
 * begin and do not commit is rolled back. Errors: SQLite's, as `node:sqlite` throws them.
 */
export function runInThread(
  file: string,
  statements: readonly LongStatement[],
): Promise<readonly (readonly ThreadRow[])[]> {
  const workerData = { file, statements, lockWaitMs: LIMITS.lockWaitMs };
  const worker = new Worker(PROGRAM, { eval: true, workerData, execArgv: [] });
  return new Promise((resolve, reject) => {
    worker.once("message", ({ results, failure }: FromThread) => {
      if (failure === undefined) resolve(results);
      else reject(Object.assign(new Error(failure.message), failure));
    });
    worker.once("error", reject);
    worker.once("exit", (code) =>
      reject(new Error(`the thread of a long statement ended with exit code ${code}`)),
    );
  });
}
