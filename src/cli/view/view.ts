/** `continuo view`: a server on the viewer's port, and an address that lets one tab in. */

import { createHash } from "node:crypto";
import { type OpenOwn, openOwn, storeUrlOf } from "@continuo/agents/catalog";
import {
  AGENT_NAMES,
  ContinuoError,
  messageOf,
  type Principal,
  present,
  type Store,
} from "@continuo/core/model";
import type { MachineService, PairAnswer, PhoneRights } from "@continuo/core/wire/machine";
import { placesOf, readVersion } from "@continuo/files";
import { createAuthenticate, createServer, listen, type ServerHandle } from "@continuo/server";
import { openStore } from "@continuo/store";
import {
  DEFAULT_LISTEN,
  HAS_PAGE_NAMES,
  machineWork,
  newPageName,
  preferencesFileOf,
  reporterTo,
  stopSignal,
  viewerFolder,
} from "../serve/index.ts";
import { openEditorSocket } from "../sockets/index.ts";
import { createOutput, type Shell, toJsonText } from "../terminal/index.ts";
import { HOST, isLoopbackPage, parseTarget, portOf } from "./address.ts";
import { openBrowser } from "./browser.ts";
import { VIEWER_PORT, type ViewFlags } from "./flags.ts";
import { keyFor } from "./key.ts";
import { listensAt, pageOfServer } from "./other-server.ts";
import { openPhoneDoor, pairFromTerminal, pairRights, qrLines, tunnelOf, tunnelPort } from "./phones.ts";
import { type PortChoice, takePort } from "./port.ts";
import {
  answerCommands,
  askRunning,
  type PageProvider,
  type RunningViewer,
  type ViewerRequest,
} from "./running-viewer.ts";

export async function runView(argument: string | null, flags: ViewFlags, shell: Shell): Promise<number> {
  const { turns, maskSecrets, force } = flags;
  if (turns !== undefined || maskSecrets || force) {
    throw new ContinuoError("usage", "--turns, --mask-secrets and --force are for a file", {
      hint: "Name the file with --output FILE.",
    });
  }
  const target = parseTarget(argument);
  const place =
    target.type === "page" ? target.place : `/session/${encodeURIComponent(await keyFor(target.id, shell))}`;
  const origin = target.type === "page" ? target.origin : null;
  const wanted = wantedPort(origin, flags);
  const tunnel = flags.tunnel === undefined ? null : tunnelOf(flags.tunnel);
  const rights = pairRights(flags);
  if (rights !== null) {
    const wish = { ...wishOf(flags, shell), pair: rights };
    const paired = await askRunning(wish, placesOf(shell));
    if (paired?.rows !== undefined && (tunnel ?? paired.origin) === paired.origin) {
      await announceLink({ link: paired.code, rows: paired.rows }, flags, shell);
      return 0;
    }
    if (tunnel === null) throw noTunnel();
  }
  if (tunnel !== null) return await serve(wanted, { place, tunnel, rights }, flags, shell);
  const running = await askRunning(wishOf(flags, shell), placesOf(shell));
  if (running !== null && isWanted(running, wanted)) {
    return await show({ ...running, place }, { flags, shell, from: "a viewer that runs already" });
  }
  if (origin !== null && !(await isForViewer(origin))) {
    const page = await pageOfServer(origin, flags, shell);
    return await show({ ...page, place }, { flags, shell, from: "the server" });
  }
  return await serve(wanted, { place, tunnel, rights }, flags, shell);
}

function noTunnel(): ContinuoError {
  return new ContinuoError("usage", "no viewer runs that phones can reach", {
    hint: "Name the address of your tunnel: `continuo view --tunnel https://HOST --pair`.",
  });
}

/** Errors: `usage`. */
function wantedPort(origin: URL | null, { port }: ViewFlags): PortChoice {
  if (port !== undefined) {
    if (/^\d{1,5}$/u.test(port) && Number(port) <= 65_535) return { port: Number(port), isDefault: false };
    throw new ContinuoError("usage", `${JSON.stringify(port)} is not a port`, {
      hint: "Write a number up to 65535; 0 chooses a free port.",
    });
  }
  // If the page has no host name of its own, only a new port makes a new origin.
  if (!HAS_PAGE_NAMES) return { port: 0, isDefault: true };
  if (origin !== null && isLoopbackPage(origin)) return { port: portOf(origin), isDefault: false };
  return { port: VIEWER_PORT, isDefault: true };
}

/** Returns true if the running viewer can be used: it has the wanted port, or any port is fine. */
function isWanted({ origin }: RunningViewer, { port, isDefault }: PortChoice): boolean {
  return isDefault || portOf(new URL(origin)) === port;
}

/** True if a viewer can have the address: no program has it now, and it is not one of `continuo serve`. */
async function isForViewer(origin: URL): Promise<boolean> {
  return isLoopbackPage(origin) && origin.host !== DEFAULT_LISTEN && !(await listensAt(origin));
}

/** Returns the facts that must be equal in two commands, so that one can show what the other serves. */
function wishOf({ readOnly }: ViewFlags, { home, cwd, env }: Shell): ViewerRequest {
  const prefixes = ["continuo", "xdg", ...AGENT_NAMES].map((name) => `${name.toUpperCase()}_`);
  const folders = Object.entries(env).filter(([name]) => prefixes.some((prefix) => name.startsWith(prefix)));
  const parts = [readVersion(), home, storeUrlOf({ home, cwd, env }), folders.sort()];
  const work = createHash("sha256").update(JSON.stringify(parts)).digest("hex");
  return { work, access: readOnly ? "read" : "write" };
}

interface ServeContext {
  readonly place: string;
  readonly tunnel: string | null;
  /** The rights of a phone that is paired immediately. */
  readonly rights: PhoneRights | null;
}

async function serve(
  wanted: PortChoice,
  { place, tunnel, rights }: ServeContext,
  flags: ViewFlags,
  shell: Shell,
): Promise<number> {
  // The codes and pages of this command, which end with it.
  await using tokens = await openStore("memory:");
  await using own = await openExisting(shell);
  const logs = own?.store ?? tokens;
  const sessions = machineWork(shell);
  // The list is made while the browser starts; a caller that asks for it receives its errors.
  sessions.then((machine) => machine.sessions({ partial: "allow" })).catch(() => undefined);
  const pageName = newPageName();
  const warn = reporterTo(shell);
  const storeOf = (workspaceId: string, by?: Principal): Store => logs.forWorkspace(workspaceId, by);
  // The viewer's own server closes the sessions.
  const shared = async (): Promise<MachineService> => ({ ...(await sessions), close: async () => undefined });
  await using door =
    tunnel === null
      ? null
      : await openPhoneDoor({
          url: tunnel,
          logs: storeOf,
          machine: shared,
          report: warn,
          port: tunnelPort(flags),
        });
  const server = createServer({
    store: storeOf,
    tokens: (workspaceId, by) => tokens.forWorkspace(workspaceId, by),
    authenticate: createAuthenticate(tokens),
    reach: "machine",
    // A viewer writes no notes, even if no other server does.
    live: { workspaceIds: [], role: "reader" },
    hosts: [HOST, "localhost"],
    machine: () => sessions,
    pageFolder: viewerFolder(),
    preferencesFile: preferencesFileOf(shell),
    ...present({ pageName, phones: flags.readOnly ? undefined : door?.phones }),
    report: warn,
  });
  await using _server = { [Symbol.asyncDispose]: () => server.close() };
  const stopped = stopSignal(shell);
  const loopback = pageName === undefined ? "one" : "both";
  const listenOn = (port: number): Promise<ServerHandle> =>
    listen(server, { host: HOST, port, loopback, process: "own" });
  const listening = await takePort(wanted, { listen: listenOn, warn });
  const { port } = new URL(listening.url);
  const origin = pageName === undefined ? listening.url : `http://${pageName}:${port}`;
  const offered = wishOf(flags, shell);
  const pageFor = async (access: ViewerRequest["access"]): Promise<RunningViewer> => {
    return { origin, code: await issueCode(tokens, listening, access) };
  };
  const answer: PageProvider = async ({ access, pair }) => {
    if (pair === undefined) return await pageFor(access);
    if (door === null || tunnel === null) return null;
    const { link, rows } = await pairFromTerminal(door.phones, pair);
    return { origin: tunnel, code: link, rows };
  };
  await using _commands = await answerCommands(offered, answer, placesOf(shell));
  await using _answers = await shell.answerCommands?.();
  const secret = await issueToken(tokens, offered.access);
  await using _editors = await openEditorSocket({ url: listening.url, secret }, placesOf(shell));
  const page = { ...(await pageFor(offered.access)), place };
  const isOpened = flags.open && (await openBrowser(addressOf(page), shell));
  // An address works once: the browser has the first one.
  const printed = isOpened ? { ...page, ...(await pageFor(offered.access)) } : page;
  await announce(addressOf(printed), { flags, shell, isOpened, from: "this command" });
  if (door !== null && rights !== null)
    await announceLink(await pairFromTerminal(door.phones, rights), flags, shell);
  await stopped;
  await listening.close();
  return 0;
}

/**
 * Opens the store of channels and continuous sessions. Returns `null` if it does not exist, because it is not created
 * here, and after a warning if it cannot be opened.
 */
async function openExisting(shell: Shell): Promise<OpenOwn | null> {
  try {
    return await openOwn(shell);
  } catch (error) {
    shell.stderr.write(`warning: channels and continuous sessions are not shown: ${messageOf(error)}\n`);
    return null;
  }
}

/** The rights of a person who may open this machine's sessions. The page can only read continuous sessions. */
const SCOPES: Readonly<Record<ViewerRequest["access"], readonly string[]>> = {
  read: ["machine:read", "channel:*:read", "live:*:read", "metrics"],
  write: ["machine:read,write", "channel:*:read,write", "live:*:read", "metrics"],
};

async function issueToken(store: Store, access: ViewerRequest["access"]): Promise<string> {
  const { secret } = await store.createToken({
    scopes: SCOPES[access],
    anyHandle: true,
    label: "continuo view",
    issuedFrom: "loopback",
  });
  return secret;
}

async function issueCode(
  store: Store,
  { url }: ServerHandle,
  access: ViewerRequest["access"],
): Promise<string> {
  const secret = await issueToken(store, access);
  const response = await fetch(`${url}/v1/pages/code`, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}` },
  });
  const { code }: { readonly code?: unknown } = JSON.parse(await response.text());
  if (typeof code === "string") return code;
  throw new ContinuoError("unavailable", `the server gave no code for the page: status ${response.status}`);
}

interface Page extends Omit<RunningViewer, "code"> {
  /** `null` for a server that asks for none. */
  readonly code: string | null;
  readonly place: string;
}

function addressOf({ origin, code, place }: Page): string {
  return code === null ? `${origin}/#${place}` : `${origin}/#code=${encodeURIComponent(code)}${place}`;
}

async function announceLink(
  { link, rows }: Pick<PairAnswer, "link" | "rows">,
  { json }: ViewFlags,
  { stdout }: Shell,
): Promise<void> {
  const output = createOutput(stdout);
  if (json) return await output.write(`${toJsonText({ link })}\n`);
  const code = stdout.isTTY ? qrLines(rows) : [];
  const lines = ["Open this link on the phone within two minutes, or scan the code:", ...code, `  ${link}`];
  await output.write(`${lines.join("\n")}\n`);
}

type Server = "this command" | "a viewer that runs already" | "the server";

interface ShowContext {
  readonly flags: ViewFlags;
  readonly shell: Shell;
  readonly from: Server;
}

/** A page of a server that another process runs. */
async function show(page: Page, { flags, shell, from }: ShowContext): Promise<number> {
  const url = addressOf(page);
  const isOpened = flags.open && (await openBrowser(url, shell));
  await announce(isOpened ? `${page.origin}/#${page.place}` : url, { flags, shell, isOpened, from });
  return 0;
}

async function announce(
  url: string,
  { flags: { json }, shell, isOpened, from }: ShowContext & { readonly isOpened: boolean },
): Promise<void> {
  const output = createOutput(shell.stdout);
  if (json) return await output.write(`${toJsonText({ url, opened: isOpened })}\n`);
  const isOwn = from === "this command";
  const lines = isOpened
    ? [
        `The page is open in your browser${isOwn ? ". If it is not, open this address within 30 seconds:" : ":"}`,
      ]
    : ["Open this address within 30 seconds:"];
  lines.push(`  ${url}`);
  if (isOwn) lines.push("Press Ctrl-C to end the viewer. Run `continuo view` again for another address.");
  else lines.push(`It is a page of ${from}.`);
  await output.write(`${lines.join("\n")}\n`);
}
