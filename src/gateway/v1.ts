/** Version 1 of the protocol, with its drafts that editors use: maps its requests to the gateway. */

import {
  type AgentApp,
  type AgentContext,
  agent,
  type ClientCapabilities,
  type InitializeResponse,
  type SessionConfigOption,
  type SessionModeState,
} from "@agentclientprotocol/sdk/unstable";
import { archiveSession, renameSession } from "./actions.ts";
import { createClient } from "./client.ts";
import { toPolicy } from "./config-options.ts";
import { asProtocolErrors } from "./errors.ts";
import { Gateway, type GatewayParts } from "./gateway.ts";
import { type OfferedLogin, OWN_LOGIN, showsLogins } from "./logins.ts";
import type { EditorSession } from "./session.ts";

export interface VersionParts extends GatewayParts {
  /** The version of Continuo. */
  readonly version: string;
}

export function createV1(parts: VersionParts): { readonly app: AgentApp; readonly gateway: Gateway } {
  const { places, report, version } = parts;
  let context: AgentContext | null = null;
  let capabilities: ClientCapabilities = {};
  const client = createClient({
    context: () => {
      if (context === null) throw new Error("not connected yet");
      return context;
    },
    capabilities: () => capabilities,
    report,
  });
  const gateway = new Gateway(parts, client);
  const app = agent({ name: "continuo" })
    .onConnect((connection) => {
      context = connection.client;
    })
    .onRequest("initialize", ({ params }) => {
      capabilities = params.clientCapabilities ?? {};
      const own = showsLogins(capabilities) ? [OWN_LOGIN] : [];
      const logins = [...gateway.logins.offer(), ...own];
      return hello(version, { logins, canEnd: gateway.logins.canEnd });
    })
    .onRequest(
      "logout",
      asProtocolErrors(({ signal }) => gateway.logOut("logout", signal)),
    )
    .onRequest(
      "authenticate",
      asProtocolErrors(({ params, signal }) =>
        params.methodId === OWN_LOGIN.id ? gateway.checkAgents() : gateway.logIn(params.methodId, signal),
      ),
    )
    .onRequest(
      "session/list",
      asProtocolErrors(({ params }) => gateway.lists.page(params)),
    )
    .onRequest(
      "session/new",
      asProtocolErrors(async ({ params }) => named(await gateway.begin(params))),
    )
    .onRequest(
      "session/load",
      asProtocolErrors(async ({ params }) => choicesOf(await gateway.load(params))),
    )
    .onRequest(
      "session/resume",
      asProtocolErrors(async ({ params }) => choicesOf(await gateway.resume(params))),
    )
    .onRequest(
      "session/fork",
      asProtocolErrors(async ({ params }) => named(await gateway.fork(params))),
    )
    .onRequest(
      "session/close",
      asProtocolErrors(({ params }) => gateway.close(params.sessionId)),
    )
    .onRequest(
      "session/delete",
      asProtocolErrors(({ params }) => gateway.delete(params.sessionId)),
    );
  addTurns(app, gateway);
  addArchive(app, { gateway, places });
  return { app: addChoices(app, { gateway, client, places }), gateway };
}

function addTurns(app: AgentApp, gateway: Gateway): void {
  app
    .onRequest(
      "session/prompt",
      asProtocolErrors(async ({ params: { sessionId, prompt }, signal }) => ({
        stopReason: await gateway.named(sessionId).prompt(prompt, { withdrawn: signal }),
      })),
    )
    .onNotification("session/cancel", ({ params: { sessionId } }) => gateway.cancel(sessionId));
}

interface ArchiveParts extends Pick<GatewayParts, "places"> {
  readonly gateway: Gateway;
}

function addArchive(app: AgentApp, { gateway, places }: ArchiveParts): void {
  app
    .onRequest(
      "session/archive",
      asProtocolErrors(async ({ params: { sessionId } }) => {
        await archiveSession(sessionId, true, places);
        return await gateway.close(sessionId);
      }),
    )
    .onRequest(
      "session/unarchive",
      asProtocolErrors(async ({ params: { sessionId } }) => {
        await archiveSession(sessionId, false, places);
        return {};
      }),
    )
    .onRequest(
      "session/status",
      asProtocolErrors(async ({ params: { sessionId } }) => ({ status: await gateway.status(sessionId) })),
    );
}

interface ChoiceParts extends ArchiveParts {
  readonly client: ReturnType<typeof createClient>;
}

function addChoices(app: AgentApp, { gateway, client, places }: ChoiceParts): AgentApp {
  return app
    .onRequest(
      "session/set_title",
      asProtocolErrors(async ({ params: { sessionId, title } }) => ({
        title: await renameSession(sessionId, title, places),
      })),
    )
    .onRequest(
      "session/set_mode",
      asProtocolErrors(async ({ params: { sessionId, modeId } }) => {
        const session = gateway.named(sessionId);
        await session.setPolicy(toPolicy(modeId));
        const { configOptions } = session;
        await client.update(sessionId, { sessionUpdate: "config_option_update", configOptions });
        return {};
      }),
    )
    .onRequest(
      "session/set_config_option",
      asProtocolErrors(async ({ params: { sessionId, configId, value } }) => {
        const session = gateway.named(sessionId);
        await session.choose(configId, value);
        return { configOptions: session.configOptions };
      }),
    );
}

interface Access {
  readonly logins: readonly Pick<OfferedLogin, "id" | "name" | "description">[];
  /** True if there is a login that an agent can end. */
  readonly canEnd: boolean;
}

function hello(version: string, { logins, canEnd }: Access): InitializeResponse {
  return {
    protocolVersion: 1,
    agentInfo: { name: "continuo", title: "Continuo", version },
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, audio: false, embeddedContext: true },
      mcpCapabilities: { http: true, sse: false },
      sessionCapabilities: {
        list: {},
        resume: {},
        close: {},
        delete: {},
        fork: {},
        archive: {},
        status: {},
        title: {},
      },
      ...(canEnd ? { auth: { logout: {} } } : {}),
    },
    authMethods: logins.map(({ id, name, description }) => ({ id, name, description })),
  };
}

interface Choices {
  readonly configOptions: SessionConfigOption[];
  readonly modes: SessionModeState;
}

function choicesOf({ configOptions, modes }: EditorSession): Choices {
  return { configOptions, modes };
}

function named(session: EditorSession): Choices & { readonly sessionId: string } {
  return { sessionId: session.id, ...choicesOf(session) };
}
