/** A server on loopback over the sessions of a scratch home, with tokens of chosen scopes. */

import type { Store } from "@continuo/core/model";
import { createAuthenticate } from "@continuo/server";
import { openStore } from "@continuo/store";
import { loadMachine } from "../../src/cli/serve/served-machine.ts";
import type { Shell } from "../../src/cli/terminal/index.ts";
import { cleanEnv, createHome, type Home, writeSessions } from "../cli/home.ts";
import { openServer } from "../server/harness/open-server.ts";

export interface OpenMachine extends AsyncDisposable {
  readonly home: Home;
  readonly url: string;
  /**
   * The store of channels, continuous sessions and tokens; the sessions of the machine are in files of the
   * home.
   */
  readonly store: Store;
  /** Creates a token with these scopes. */
  token(scopes: readonly string[], workspaceId?: string): Promise<string>;
  /** Sends a request with a token for reading and writing, unless another token is given. */
  get(path: string, token?: string, signal?: AbortSignal): Promise<Response>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it.
  json(path: string): Promise<any>;
  post(path: string, body?: unknown, token?: string): Promise<Response>;
}

interface OpenMachineOptions
  extends Pick<Parameters<typeof openServer>[1] & object, "pageFolder" | "preferencesFile" | "report"> {
  /** Variables in addition to `cleanEnv`. */
  readonly env?: Readonly<Record<string, string>>;
  /** The clock of the store. */
  readonly now?: () => number;
}

export async function openMachine(
  home: Home = withSessions(),
  { env, now, ...options }: OpenMachineOptions = {},
): Promise<OpenMachine> {
  const store = await openStore("memory:", now === undefined ? {} : { now });
  const shell = {
    home: home.path,
    cwd: home.path,
    env: { ...cleanEnv(home.path), ...env },
  } as unknown as Shell;
  const server = await openServer(store, {
    authenticate: createAuthenticate(store),
    reach: "machine",
    machine: () => loadMachine(shell, { reach: "machine" }),
    // The options are those of `continuo view`: tests that need an owner of continuous sessions open a service.
    live: { workspaceIds: [], role: "reader" },
    ...options,
  });
  const token: OpenMachine["token"] = async (scopes, workspaceId = "default") => {
    const owner = store.forWorkspace(workspaceId);
    return (await owner.createToken({ scopes, anyHandle: true, label: "test", issuedFrom: "loopback" }))
      .secret;
  };
  const everything = await token(["machine:read,write", "channel:*:read,write", "live:*:read", "metrics"]);
  const get: OpenMachine["get"] = (path, secret = everything, signal) =>
    fetch(`${server.url}${path}`, {
      headers: { authorization: `Bearer ${secret}` },
      ...(signal === undefined ? {} : { signal }),
    });
  return {
    home,
    url: server.url,
    store,
    token,
    get,
    json: async (path) => await (await get(path)).json(),
    post: (path, body = {}, secret = everything) =>
      fetch(`${server.url}${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
    [Symbol.asyncDispose]: async () => {
      await server.close();
      await store.close();
      home[Symbol.dispose]();
    },
  };
}

function withSessions(): Home {
  const home = createHome();
  writeSessions(home);
  return home;
}

/** Yields server-sent events as they arrive. */
export async function* eventsOf(
  response: Response,
): AsyncGenerator<{ readonly event: string; readonly id?: string; readonly data: unknown }, void, void> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    for (let end = text.indexOf("\n\n"); end !== -1; end = text.indexOf("\n\n")) {
      const lines = text.slice(0, end).split("\n");
      text = text.slice(end + 2);
      const field = (name: string): string | undefined =>
        lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
      const [event, id, data] = [field("event"), field("id"), field("data")];
      if (event === undefined || data === undefined) continue;
      yield { event, ...(id === undefined ? {} : { id }), data: JSON.parse(data) };
    }
  }
}
