/**
 * Continuing a session from a page. Writes need `machine:write`, and an answer that counts only once `machine:answer`;
 * a page receives the state that its access allows.
 */

import { isContinuoError, present } from "@continuo/core/model";
import type { MachinePermission } from "@continuo/core/wire";
import {
  CHAT_LIMITS,
  CHAT_MODES,
  type ChatEvent,
  type InboxRights,
  MACHINE_ROOT,
  ONLY_ANSWERS,
  ONLY_READS,
} from "@continuo/core/wire/machine";
import type { Hono } from "hono";
import { z } from "zod";
import type { ServerContext, ServerEnv } from "../context/index.ts";
import { eventStream, type PushedEvent } from "./event-stream.ts";
import {
  bodyOf,
  type Call,
  keyOf,
  type MachineAccess,
  NAME,
  parseQuery,
  recordAct,
} from "./request-input.ts";

const CHAT = `${MACHINE_ROOT}/sessions/:key/chat`;
const AGENT = z.string().regex(/^\w[\w.-]{0,63}$/u);
const PROMPT = z.strictObject({
  text: z.string().max(CHAT_LIMITS.promptChars).regex(/\S/u, "has no words"),
  agent: AGENT.optional(),
});
/** A character is at most six bytes of JSON. */
const PROMPT_BYTES = 6 * CHAT_LIMITS.promptChars + 1_000;
const CANCEL = z.strictObject({ runId: NAME.max(200) });
const PAGE = z.strictObject({
  id: z.string().regex(/^[\w-]{1,64}$/u),
  name: z.string().min(1).max(CHAT_LIMITS.pageChars),
});
const ANSWER = z.strictObject({
  approvalId: NAME,
  outcome: z.enum(["granted", "denied"]),
  optionId: NAME.optional(),
  reason: z.string().max(CHAT_LIMITS.reasonChars).optional(),
  page: PAGE,
});

const CHATS = `${MACHINE_ROOT}/chats`;
const FOLDER = z.string().min(1).max(4_096);
const NEW = z.strictObject({
  text: PROMPT.shape.text,
  agent: AGENT,
  cwd: FOLDER,
  mode: z.enum(CHAT_MODES).optional(),
});
const FILES = z.strictObject({
  cwd: FOLDER.optional(),
  key: NAME.max(1_000).optional(),
  words: z.string().max(500),
});

/** A token that may start an agent in any folder may also read the names of the folder's files. */
function newChatRoutes(app: Hono<ServerEnv>, context: ServerContext, asked: MachineAccess): void {
  app.get(`${CHATS}/agents`, async (c) => {
    const { chat } = await asked(c, "write");
    return Response.json(await chat.agentsIn(parseQuery(c, z.strictObject({ cwd: FOLDER })).cwd));
  });
  app.get(`${CHATS}/files`, async (c) => {
    const { chat } = await asked(c, "write");
    return Response.json(await chat.files(present(parseQuery(c, FILES)), c.req.raw.signal));
  });
  app.post(CHATS, async (c) => {
    const { chat } = await asked(c, "write");
    const body = present(await bodyOf(c, NEW, PROMPT_BYTES));
    await recordAct(c, context, "agent_started", body.cwd);
    return Response.json(await chat.begin(body), { status: 202 });
  });
}

export function chatRoutes(app: Hono<ServerEnv>, context: ServerContext, asked: MachineAccess): void {
  newChatRoutes(app, context, asked);
  app.get(`${CHAT}/events`, async (c) => {
    parseQuery(c, z.strictObject({}));
    return eventStream(c, context, await chatEventsFor(c, asked));
  });
  app.post(`${CHAT}/prompt`, async (c) => {
    const { chat } = await asked(c, "write");
    const body = present(await bodyOf(c, PROMPT, PROMPT_BYTES));
    await recordAct(c, context, "agent_started");
    return Response.json(await chat.prompt(keyOf(c), body, c.req.raw.signal), { status: 202 });
  });
  app.post(`${CHAT}/cancel`, async (c) => {
    const { chat } = await asked(c, "write");
    await chat.cancel(keyOf(c), await bodyOf(c, CANCEL), c.req.raw.signal);
    return Response.json({}, { status: 202 });
  });
  app.post(`${CHAT}/answer`, async (c) => {
    const { chat } = await asked(c, "answer");
    const answer = present(await bodyOf(c, ANSWER));
    const lasting = (await mayChange(c, asked)) ? "allowed" : "refused";
    await chat.answer(keyOf(c), answer, { signal: c.req.raw.signal, lasting });
    return Response.json({});
  });
}

/** The events of the conversation in the path, with the state that the access of the caller allows. */
export async function chatEventsFor(
  c: Call,
  asked: MachineAccess,
): Promise<(signal: AbortSignal) => AsyncGenerator<PushedEvent, void, void>> {
  const { chat } = await asked(c, "read");
  const key = keyOf(c);
  const rights = await rightsOf(c, asked);
  return async function* (signal) {
    for await (const event of chat.events(key, signal)) yield toPushed(event, rights);
  };
}

/** Returns false if the token of the call can change nothing except by answers. */
export async function mayChange(c: Call, asked: MachineAccess): Promise<boolean> {
  return await may(c, asked, "write");
}

async function may(c: Call, asked: MachineAccess, access: MachinePermission): Promise<boolean> {
  try {
    await asked(c, access);
    return true;
  } catch (error) {
    if (isContinuoError(error, "forbidden")) return false;
    throw error;
  }
}

export async function rightsOf(c: Call, asked: MachineAccess): Promise<InboxRights> {
  if (await mayChange(c, asked)) return "write";
  return (await may(c, asked, "answer")) ? "answer" : "read";
}

function toPushed({ type, ...data }: ChatEvent, rights: InboxRights): PushedEvent {
  if (rights === "write" || !("state" in data)) return { event: type, data };
  const readOnly = rights === "answer" ? ONLY_ANSWERS : ONLY_READS;
  return { event: type, data: { state: { ...data.state, readOnly } } };
}
