/**
 * A real ssh server on loopback, for the duration of a test. It runs in a separate namespace, where the home of the
 * user is the other machine's folder, so that programs that ssh starts there have another home without an environment
 * variable.
 */

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { homedir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Machines } from "./machines.ts";

export interface SshServer extends AsyncDisposable {
  /** `ssh://127.0.0.1:PORT`. */
  readonly address: string;
  /** The path of a folder of the other machine, as that machine sees it. */
  homePath(path: string): string;
  /** Ends every connection, as when the network fails. */
  cut(): void;
}

/** Makes `bin/ssh` of the machines the system's ssh, with a key of the test. */
export async function startSshServer({ root, bin }: Machines): Promise<SshServer> {
  const folder = join(root, "sshd");
  mkdirSync(folder, { mode: 0o700 });
  for (const name of ["host", "user"]) {
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", join(folder, name)]);
  }
  const port = await freePort();
  writeFileSync(join(folder, "authorized"), readFileSync(join(folder, "user.pub")));
  writeFileSync(
    join(folder, "known"),
    `[127.0.0.1]:${port} ${readFileSync(join(folder, "host.pub"), "utf8")}`,
  );
  const settings = [
    `Port ${port}`,
    "ListenAddress 127.0.0.1",
    `HostKey ${join(folder, "host")}`,
    `AuthorizedKeysFile ${join(folder, "authorized")}`,
    `PidFile ${join(folder, "pid")}`,
    "PasswordAuthentication no",
    "PermitRootLogin prohibit-password",
    "StrictModes no",
    "UsePAM no",
    "UseDNS no",
  ];
  writeFileSync(join(folder, "sshd_config"), `${settings.join("\n")}\n`);
  useSystemSsh(bin, folder);
  const home = homedir();
  // Only inside of this namespace are the home and the server's own folder replaced.
  const script = `mount -t tmpfs none /run && mkdir /run/sshd && mount --bind ${join(root, "there")} ${home} &&
exec "$(command -v sshd || echo /usr/sbin/sshd)" -D -e -f ${join(folder, "sshd_config")}`;
  const server = spawn("unshare", ["--mount", "sh", "-c", script], { stdio: ["ignore", "ignore", "pipe"] });
  await listening(server);
  return {
    address: `ssh://127.0.0.1:${port}`,
    homePath: (path) => path.replace(join(root, "there"), home),
    cut: () => killChildren(server),
    async [Symbol.asyncDispose]() {
      const closed = new Promise((done) => server.once("close", done));
      killChildren(server);
      server.kill("SIGKILL");
      await closed;
    },
  };
}

/** The person's own settings and keys are not used. */
function useSystemSsh(bin: string, folder: string): void {
  const options = [
    "-F none",
    `-i ${join(folder, "user")}`,
    `-o UserKnownHostsFile=${join(folder, "known")}`,
    "-o StrictHostKeyChecking=yes",
    "-o IdentitiesOnly=yes",
    "-o IdentityAgent=none",
    "-o BatchMode=yes",
  ];
  writeFileSync(join(bin, "ssh"), `#!/bin/sh\nexec /usr/bin/ssh ${options.join(" ")} "$@"\n`);
  chmodSync(join(bin, "ssh"), 0o755);
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const address = server.address();
  await new Promise((done) => server.close(done));
  if (address === null || typeof address === "string") throw new Error("the system gives no port");
  return address.port;
}

async function listening(server: ChildProcess): Promise<void> {
  let said = "";
  server.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
    said += chunk;
  });
  for (let tries = 0; tries < 200; tries += 1) {
    if (said.includes("Server listening")) return;
    if (server.exitCode !== null) throw new Error(`sshd did not start: ${said}`);
    await sleep(50);
  }
  throw new Error(`sshd does not listen: ${said}`);
}

/** Kills the processes of the server's connections; some may end by themselves together with another. */
function killChildren(server: ChildProcess): void {
  for (const pid of childrenOf(server.pid ?? 0)) {
    try {
      process.kill(pid, "SIGKILL");
    } catch (cause) {
      if (codeOf(cause) !== "ESRCH") throw cause;
    }
  }
}

function childrenOf(pid: number): readonly number[] {
  const children = childIds(pid);
  return children.flatMap((child) => [child, ...childrenOf(child)]);
}

function childIds(pid: number): readonly number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);
  } catch (cause) {
    if (["ENOENT", "ESRCH"].includes(codeOf(cause))) return [];
    throw cause;
  }
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && "code" in cause ? String(cause.code) : "";
}
