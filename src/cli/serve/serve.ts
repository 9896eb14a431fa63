/** `continuo serve`. */

import {
  assertValid,
  type Configuration,
  readConfiguration,
  type ServerLimitSettings,
  serverLimitsOfFlags,
} from "@continuo/agents/config";
import { ContinuoError, type Principal, present } from "@continuo/core/model";
import { placesOf } from "@continuo/files";
import type { WriterOffers } from "@continuo/live";
import {
  allowEverybody,
  createAuthenticate,
  createServer,
  extensionOrigins,
  listen,
  type ServerHandle,
  type SessionsService,
  trustedProxies,
} from "@continuo/server";
import { openContinuo } from "@continuo/server/runtime";
import { followAudit, type OpenedStore } from "@continuo/store";
import { keepGuarded } from "../indexing/index.ts";
import { mcpService } from "../mcp/index.ts";
import type { EditorSocket } from "../sockets/index.ts";
import { openForCommand } from "../store/index.ts";
import { type Shell, toJsonText } from "../terminal/index.ts";
import { editorAccess } from "./editor-access.ts";
import type { ServeFlags } from "./flags.ts";
import { liveSettings } from "./live-settings.ts";
import { keepOwnToken, type OwnToken } from "./own-token.ts";
import { createScanner } from "./scanner.ts";
import { openSecurityFile } from "./security-file.ts";
import { loadMachine } from "./served-machine.ts";
import { startTelemetry } from "./telemetry.ts";
import { readWebhookKey } from "./webhook-key.ts";
import {
  assertTls,
  clearTextWarning,
  newPageName,
  preferencesFileOf,
  reporterTo,
  stopSignal,
  viewerFolder,
  whisperFolderOf,
} from "./work.ts";
import { writerOffers } from "./writer-offers.ts";

export async function runServe(flags: ServeFlags, shell: Shell): Promise<number> {
  const address = addressOf(flags.listen);
  const isLoopback = LOOPBACK.has(address.host);
  if (!flags.auth && !isLoopback) {
    throw new ContinuoError(
      "usage",
      `cannot listen on ${address.host} with --no-auth: it is not a loopback address`,
      {
        hint: "Leave --no-auth out, or listen on 127.0.0.1.",
      },
    );
  }
  assertTls(address.host, { isLoopback, publicUrl: flags.publicUrl });
  // A proxy on this machine would look like a person who uses the machine.
  const hasProxy = flags.publicUrl !== undefined || flags.trustProxy.length > 0;
  const reach = isLoopback && !hasProxy ? "machine" : "network";
  const origins = flags.origin.map(originOf);
  const proxies = trustedProxies(flags.trustProxy);
  const pageName = reach === "machine" ? newPageName() : undefined;
  const configuration = await ownConfiguration(shell);
  const limits = limitsOf(configuration, flags);
  const settings = liveSettings(configuration, shell);
  // Only the person who uses this machine may start programs on it.
  const offers = reach === "machine" ? await offersOf(configuration, shell) : undefined;
  await using store = await openForCommand(flags, shell);
  await using ownToken = flags.auth && isLoopback ? await keepOwnToken(store, flags, shell) : null;
  await using securityFile =
    flags.securityLog === undefined ? null : openSecurityFile(flags.securityLog, shell);
  const others = flags.auth ? createAuthenticate(store) : allowEverybody(store.workspaceId);
  const editors = editorAccess(store.workspaceId, others);
  const server = createServer({
    store: (workspaceId, by = SERVER) => store.forWorkspace(workspaceId, by),
    authenticate: editors.authenticate,
    reach,
    origins: reach === "machine" ? [...origins, ...(await extensionOrigins(store))] : origins,
    limits,
    live: { workspaceIds: [store.workspaceId], ...settings, ...present({ writerOffers: offers }) },
    sessions: frontDoors(store),
    mcp: mcpService(shell),
    machine: () => loadMachine(shell, { store: flags.store, reach }),
    pageFolder: viewerFolder(),
    whisperFolder: whisperFolderOf(shell),
    ...present({
      pageName,
      // A server that the network can reach has no such file, because other people may open its pages.
      preferencesFile: pageName === undefined ? undefined : preferencesFileOf(shell),
      securityLog: securityFile?.write,
      webhookKey: flags.webhookKey === undefined ? undefined : await readWebhookKey(flags.webhookKey),
      scanAttachment: flags.scanAttachments === undefined ? undefined : createScanner(flags.scanAttachments),
      followAudit: securityFile === null ? undefined : followAudit(store),
      publicUrl: flags.publicUrl === undefined ? undefined : publicUrlOf(flags.publicUrl),
    }),
    // Without tokens, webhooks may go to loopback hosts: anyone who can use the server can call these hosts anyway.
    otherWebhookHosts: flags.onlyWebhookHosts ? "none" : "public",
    webhookHosts: flags.auth ? flags.webhookHost : [...flags.webhookHost, ...LOOPBACK],
    ...(isLoopback ? { hosts: [...LOOPBACK, "[::1]"] } : {}),
    report: reporterTo(shell),
  });
  const stopped = stopSignal(shell);
  const stopTelemetry = await startTelemetry(shell);
  const loopback = pageName === undefined ? "one" : "both";
  const warning = clearTextWarning(isLoopback, flags.publicUrl);
  if (warning !== null) shell.stderr.write(warning);
  const listening = await listen(server, { ...address, loopback, process: "own", proxies });
  await store.recordAudit({
    what: "server_started",
    target: listening.url,
    details: { auth: flags.auth, reach, publicUrl: flags.publicUrl ?? null, limits },
  });
  await using _answers = await shell.answerCommands?.();
  using _guarded = keepGuarded(shell);
  await using editor = await editors.open({ url: listening.url, reach }, placesOf(shell));
  await announce({ store, listening, ownToken, editor, flags, shell });
  await stopped;
  await listening.close();
  await stopTelemetry();
  return 0;
}

async function offersOf({ agents }: Configuration, shell: Shell): Promise<WriterOffers> {
  const { findLocalServers, LOCAL_SERVERS } = await import("@continuo/agents/model-agent");
  return writerOffers({ agents, shell, servers: LOCAL_SERVERS, findServers: findLocalServers });
}

/** The sessions and approvals of each workspace. Agents run in other processes, which take messages from the queue. */
function frontDoors(store: OpenedStore): (workspaceId: string) => Promise<SessionsService> {
  const opened = new Map<string, Promise<SessionsService>>();
  return (workspaceId) => {
    const known = opened.get(workspaceId) ?? openContinuo(store.forWorkspace(workspaceId), { work: false });
    opened.set(workspaceId, known);
    return known;
  };
}

/** The name under which the server does work that no request asks for. */
const SERVER: Principal = { who: "server", from: null };

/**
 * Reads only the file in CONTINUO_HOME, because a server belongs to no project. Errors: `usage` for an invalid file.
 */
async function ownConfiguration(shell: Shell): Promise<Configuration> {
  const configuration = await readConfiguration({ places: shell, cwd: null });
  assertValid(configuration);
  return configuration;
}

/** Merges the limits of the file and of the flags; a flag overrides the file. Errors: `invalid`, `usage`. */
function limitsOf({ serverLimits }: Configuration, flags: ServeFlags): ServerLimitSettings {
  return { ...serverLimits, ...serverLimitsOfFlags(flags.limit) };
}

const LOOPBACK: ReadonlySet<string> = new Set(["127.0.0.1", "localhost", "::1"]);

/** Errors: `usage`. */
function addressOf(text: string): { readonly host: string; readonly port: number } {
  const match = /^(?:\[([\da-f:.]+)\]|([^:[\]]+)):(\d{1,5})$/iu.exec(text);
  const host = match?.[1] ?? match?.[2];
  const port = Number(match?.[3]);
  if (host !== undefined && port <= 65_535) return { host, port };
  throw new ContinuoError("usage", `${JSON.stringify(text)} is not an address to listen on`, {
    hint: "Write HOST:PORT, such as 127.0.0.1:4747 or [::1]:4747.",
  });
}

/** Errors: `usage`. */
function originOf(text: string): string {
  // `new URL` returns no origin for the scheme of an extension.
  if (/^(?:chrome|moz)-extension:\/\/[a-z\d-]+$/u.test(text)) return text;
  if (URL.canParse(text) && new URL(text).origin === text) return text;
  throw new ContinuoError("usage", `${JSON.stringify(text)} is not an origin`, {
    hint: "Write it as a browser sends it: https://app.example, without a path and without a slash at the end.",
  });
}

/** Errors: `usage`. */
function publicUrlOf(text: string): string {
  if (URL.canParse(text) && /^https?:$/u.test(new URL(text).protocol)) return text;
  throw new ContinuoError("usage", `${JSON.stringify(text)} is not an http URL`, {
    hint: "Write it with its scheme, such as https://continuo.example.",
  });
}

interface Announcement {
  readonly store: OpenedStore;
  readonly listening: ServerHandle;
  readonly ownToken: OwnToken | null;
  readonly editor: EditorSocket;
  readonly flags: ServeFlags;
  readonly shell: Shell;
}

async function announce({ store, listening, flags, shell, ...more }: Announcement): Promise<void> {
  const [tokenFile, editorSocket] = [more.ownToken?.path ?? null, more.editor.path];
  const { location } = await store.engine.describe();
  if (!flags.auth) {
    shell.stderr.write("warning: no token is required; every program on this machine can read and write\n");
  }
  if (flags.json) {
    shell.stdout.write(`${toJsonText({ url: listening.url, store: location, tokenFile, editorSocket })}\n`);
    return;
  }
  const lines = [`Continuo listens on ${listening.url}`, `  store   ${location}`];
  if (tokenFile !== null) lines.push(`  token   in ${tokenFile}`);
  else if (flags.auth) lines.push("  token   create one with `continuo token create`");
  if (editorSocket !== null) lines.push(`  editor  connects through ${editorSocket}`);
  shell.stdout.write(`${lines.join("\n")}\n`);
}
