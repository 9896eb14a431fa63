/** `continuo view`: a server on a free port, and an address that lets one browser in. */

import { spawn } from "node:child_process";
import { type OpenOwn, openOwn } from "../../catalog/index.ts";
import { findProgram } from "../../drivers/process/index.ts";
import { ContinuoError, messageOf, type Store } from "../../model/index.ts";
import { createAuthenticate, createServer, type Listening, listen } from "../../server/index.ts";
import { openStore } from "../../store/index.ts";
import { machineWork, stopSignal, viewerFolder } from "../serve/index.ts";
import { createOutput, type Shell, toJsonText } from "../terminal/index.ts";
import type { ViewFlags } from "./flags.ts";
import { keyFor } from "./key.ts";

const HOST = "127.0.0.1";

export async function runView(id: string | null, flags: ViewFlags, shell: Shell): Promise<number> {
  const { turns, maskSecrets, force } = flags;
  if (turns !== undefined || maskSecrets || force) {
    throw new ContinuoError("usage", "--turns, --mask-secrets and --force are for a file", {
      hint: "Name the file with --output FILE.",
    });
  }
  const place = id === null ? "/" : `/session/${encodeURIComponent(await keyFor(id, shell))}`;
  // The codes and pages of this command, which end with it.
  await using tokens = await openStore("memory:");
  await using own = await openExisting(shell);
  const logs = own?.store ?? tokens;
  const sessions = machineWork(shell);
  // The list is made while the browser starts; a caller that asks for it receives its errors.
  sessions.then((machine) => machine.sessions({ partial: "allow" })).catch(() => undefined);
  const server = createServer({
    store: (workspaceId) => logs.forWorkspace(workspaceId),
    tokens: (workspaceId) => tokens.forWorkspace(workspaceId),
    authenticate: createAuthenticate(tokens),
    reach: "machine",
    // A viewer writes no notes, even if no other server does.
    live: { workspaceIds: [], role: "reader" },
    hosts: [HOST, "localhost"],
    machine: () => sessions,
    pageFolder: viewerFolder(),
    report: (line) => shell.stderr.write(`${line}\n`),
  });
  const stopped = stopSignal(shell);
  const listening = await listen(server, { host: HOST, port: 0, process: "own" });
  const code = await issueCode(tokens, listening, flags);
  const url = `${listening.url}/#code=${code}${place}`;
  const isOpened = flags.open && openBrowser(url, shell);
  await announce({ url, isOpened }, flags, shell);
  await stopped;
  await listening.close();
  return 0;
}

/** The store of channels and continuous sessions; `null` where there is none: looking makes none. */
async function openExisting(shell: Shell): Promise<OpenOwn | null> {
  try {
    return await openOwn(shell);
  } catch (error) {
    shell.stderr.write(`warning: channels and continuous sessions are not shown: ${messageOf(error)}\n`);
    return null;
  }
}

/** What a person may do who may open this machine's sessions; continuous sessions are only read in the page. */
function scopesFor({ readOnly }: ViewFlags): readonly string[] {
  return readOnly
    ? ["machine:read", "channel:*:read", "live:*:read"]
    : ["machine:read,write", "channel:*:read,write", "live:*:read"];
}

async function issueCode(store: Store, { url }: Listening, flags: ViewFlags): Promise<string> {
  const { secret } = await store.createToken({
    scopes: scopesFor(flags),
    label: "continuo view",
    issuedFrom: "loopback",
  });
  const response = await fetch(`${url}/v1/pages/code`, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}` },
  });
  const { code }: { readonly code?: unknown } = JSON.parse(await response.text());
  if (typeof code === "string") return code;
  throw new ContinuoError("unavailable", `the server gave no code for the page: status ${response.status}`);
}

interface Announcement {
  readonly url: string;
  readonly isOpened: boolean;
}

async function announce({ url, isOpened }: Announcement, { json }: ViewFlags, shell: Shell): Promise<void> {
  const output = createOutput(shell.stdout);
  if (json) return await output.write(`${toJsonText({ url, opened: isOpened })}\n`);
  const first = isOpened ? "The viewer is open in your browser." : "Open this address within a minute:";
  await output.write(`${first}\n  ${url}\nPress Ctrl-C to end it.\n`);
}

/** Opens the browser of this machine; `false` if there is none, or the person is connected through ssh. */
function openBrowser(url: string, { env, cwd }: Shell): boolean {
  if (env.SSH_CONNECTION !== undefined || env.SSH_TTY !== undefined) return false;
  const hasDisplay =
    process.platform === "darwin" || env.DISPLAY !== undefined || env.WAYLAND_DISPLAY !== undefined;
  const program = process.platform === "darwin" ? "open" : "xdg-open";
  if (!hasDisplay || findProgram(program, env.PATH ?? "", cwd) === null) return false;
  const child = spawn(program, [url], { env: { ...env }, detached: true, stdio: "ignore" });
  // If it fails, the person opens the printed address.
  child.on("error", () => undefined);
  child.unref();
  return true;
}
