/** Applies the actions of clients, or says why they are refused. */

import { cutText, present } from "@continuo/core/model";
import type { MachineChat } from "@continuo/core/wire/machine";
import { z } from "zod";
import { type Prompt, promptOf, shownMessage } from "./attachments.ts";
import { refused } from "./errors.ts";
import type { AhpHost } from "./host.ts";
import { LIMITS } from "./limits.ts";
import { AHP_ERRORS, type AhpMessage, type SessionAction } from "./protocol.ts";
import type { Origin, SessionFeed } from "./session-feed.ts";
import { parseChatUri, parseSessionUri } from "./uris.ts";

/** The client that sent the action, and its rights. */
export interface Sender {
  readonly origin: Origin;
  /** The name of the program. */
  readonly name: string;
  readonly signal: AbortSignal;
  /** Errors: `forbidden`. */
  may(access: "write" | "answer"): void;
  mayForever(): boolean;
  /** Refuses the action after it was done at first: its queued message could not be sent. */
  refuseLater(error: unknown): void;
  /** Records in the audit log that an agent is started. */
  recordStart(target: string): Promise<void>;
}

const ID = z.string().min(1).max(500);
const MESSAGE = z.looseObject({
  text: z.string().max(LIMITS.promptChars),
  origin: z.looseObject({ kind: ID }),
  attachments: z
    .array(z.unknown())
    .max(LIMITS.attachments, "the message has too many attachments")
    .optional(),
});
/** All clients receive it with everything that it tells about itself, such as its tools. */
const ACTIVE_CLIENT = z
  .looseObject({ clientId: ID })
  .refine(
    (client) => JSON.stringify(client).length <= LIMITS.activeClientChars,
    `the active client has more than ${LIMITS.activeClientChars} characters`,
  );
/** An action has only the fields that are named here: all clients receive it. */
const ACTIONS = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("chat/turnStarted"),
    turnId: ID,
    startedAt: z.iso.datetime().max(LIMITS.timeChars).optional(),
    message: MESSAGE,
  }),
  z.object({ type: z.literal("chat/turnCancelled"), turnId: ID }),
  z.object({
    type: z.literal("chat/toolCallConfirmed"),
    turnId: ID,
    toolCallId: ID,
    approved: z.boolean(),
    selectedOptionId: ID.optional(),
    reasonMessage: z.string().optional(),
  }),
  z.object({
    type: z.literal("chat/pendingMessageSet"),
    kind: z.literal("queued", "only queued messages are taken: an agent cannot be steered within its turn"),
    id: ID,
    message: MESSAGE,
  }),
  z.object({ type: z.literal("chat/pendingMessageRemoved"), kind: z.literal("queued"), id: ID }),
  z.object({ type: z.literal("chat/queuedMessagesReordered"), order: z.array(ID).max(LIMITS.queued) }),
  z.object({ type: z.literal("chat/draftChanged"), draft: MESSAGE.optional() }),
  z.object({ type: z.literal("session/titleChanged"), title: z.string().min(1).max(500) }),
  z.object({ type: z.literal("session/isReadChanged"), isRead: z.boolean() }),
  z.object({ type: z.literal("session/isArchivedChanged"), isArchived: z.boolean() }),
  z.object({
    type: z.literal("session/activeClientSet"),
    activeClient: ACTIVE_CLIENT,
  }),
  z.object({ type: z.literal("session/activeClientRemoved"), clientId: ID }),
]);

type ClientAction = z.output<typeof ACTIONS>;
const KNOWN: ReadonlySet<string> = new Set(ACTIONS.options.map((one) => one.shape.type.value));

/** Applies the action and sends it to all clients. The message of an error is the reason that the sender receives. */
export async function dispatch(
  host: AhpHost,
  { channel, action: given }: { readonly channel: string; readonly action: { readonly type: string } },
  sender: Sender,
): Promise<void> {
  if (!KNOWN.has(given.type)) throw refused(`Continuo does not take the action ${cutText(given.type, 100)}`);
  const parsed = ACTIONS.safeParse(given);
  if (!parsed.success) throw refused(`the action is not valid: ${parsed.error.issues[0]?.message}`);
  const action = parsed.data;
  const isOfChat = action.type.startsWith("chat/");
  if ((isOfChat ? parseChatUri(channel) : parseSessionUri(channel)) === null)
    throw refused("the action is not one of this channel");
  const feed = await host.feedOf(channel);
  await feed.serial(async () => await apply({ host, feed, sender }, action));
}

interface ActionContext {
  readonly host: AhpHost;
  readonly feed: SessionFeed;
  readonly sender: Sender;
}

async function apply(to: ActionContext, action: ClientAction): Promise<void> {
  const { feed, sender } = to;
  const { origin } = sender;
  switch (action.type) {
    case "chat/turnStarted":
      return await start(to, { ...action, origin });
    case "chat/turnCancelled":
      sender.may("write");
      // All clients receive the action when the turn has ended.
      return await feed.cancel(origin);
    case "chat/toolCallConfirmed":
      return await answer(to, action);
    case "chat/pendingMessageSet":
      sender.may("write");
      if (!feed.isRunning) return await start(to, { turnId: action.id, message: action.message });
      if ((feed.chat.queuedMessages?.length ?? 0) >= LIMITS.queued) throw refused("too many messages wait");
      if (promptOf(action.message).pictures !== undefined)
        throw refused("a message with a picture cannot wait: send it when the turn has ended");
      feed.act({ ...action, message: shownMessage(action.message) }, origin);
      return feed.whenFirst(action.id, () => startQueued(to, action.id));
    case "session/titleChanged":
      return await rename(to, action.title);
    case "session/isArchivedChanged":
      return await archive(to, action.isArchived);
    case "session/activeClientSet":
    case "session/activeClientRemoved":
      return setClient(to, action);
    case "chat/pendingMessageRemoved":
    case "chat/queuedMessagesReordered":
      sender.may("write");
      return feed.act(action, origin);
    case "chat/draftChanged":
      sender.may("write");
      return feed.act(
        { type: action.type, ...present({ draft: action.draft && shownMessage(action.draft) }) },
        origin,
      );
    case "session/isReadChanged":
      return feed.actOnSession(action, origin);
  }
}

interface Start {
  readonly turnId: string;
  readonly startedAt?: string | undefined;
  readonly message: AhpMessage;
  readonly origin?: Origin;
  readonly queuedMessageId?: string;
}

async function start(
  { host, feed, sender }: ActionContext,
  { turnId, startedAt = new Date().toISOString(), message, origin, queuedMessageId }: Start,
): Promise<void> {
  sender.may("write");
  if (feed.isRunning)
    throw refused(
      "a turn runs in this chat: queue the message, or wait for the end",
      AHP_ERRORS.turnInProgress,
    );
  if (feed.chat.turns.some(({ id }) => id === turnId))
    throw refused("a turn with this id has ended: send the message with a new id");
  const prompt = promptOf(message);
  const shown = shownMessage(message);
  await feed.begin(
    { type: "chat/turnStarted", turnId, startedAt, message: shown, ...present({ queuedMessageId }) },
    { ...present({ origin }), send: (key) => send(host, { feed, key, prompt, sender }) },
  );
}

/**
 * Sends a message that waited, for the client that queued it. If it cannot be sent, its client receives the reason, and
 * the next message is sent.
 */
async function startQueued(to: ActionContext, id: string): Promise<void> {
  const { feed, sender } = to;
  const message = feed.chat.queuedMessages?.find((one) => one.id === id)?.message;
  if (message === undefined || feed.isRunning) return feed.sendWaiting();
  try {
    await start(to, { turnId: id, message, queuedMessageId: id });
  } catch (error) {
    feed.act({ type: "chat/pendingMessageRemoved", kind: "queued", id });
    sender.refuseLater(error);
    feed.sendWaiting();
  }
}

async function send(
  host: AhpHost,
  to: {
    readonly feed: SessionFeed;
    readonly key: string | null;
    readonly prompt: Prompt;
    readonly sender: Sender;
  },
): ReturnType<MachineChat["prompt"]> {
  const { feed, key, prompt, sender } = to;
  if (key !== null) {
    await sender.recordStart(key);
    return await host.machine.chat.prompt(key, prompt, sender.signal);
  }
  const draft = host.draftOf(feed.uri);
  if (draft === undefined) throw refused("the session is gone");
  await sender.recordStart(draft.cwd);
  return await host.machine.chat.begin({ agent: draft.provider, cwd: draft.cwd, ...prompt });
}

async function answer(
  { host, feed, sender }: ActionContext,
  action: Extract<ClientAction, { type: "chat/toolCallConfirmed" }>,
): Promise<void> {
  sender.may("answer");
  const { approved, selectedOptionId: optionId, reasonMessage } = action;
  const approvalId = feed.questionOf(action.toolCallId);
  if (approvalId === null || feed.key === null)
    throw refused("nobody asks about this call, or it was answered");
  const reason = reasonMessage === undefined ? undefined : cutText(reasonMessage, LIMITS.reasonChars);
  await host.machine.chat.answer(
    feed.key,
    {
      approvalId,
      outcome: approved ? "granted" : "denied",
      page: { id: pageIdOf(sender.origin.clientId), name: cutText(sender.name, 64) },
      ...present({ optionId, reason }),
    },
    { signal: sender.signal, lasting: sender.mayForever() ? "allowed" : "refused" },
  );
  const confirmed = approved ? { confirmed: "user-action" } : { reason: "denied" };
  feed.act(
    { ...present({ selectedOptionId: optionId }), ...toConfirmed(action, reason), ...confirmed },
    sender.origin,
  );
}

function toConfirmed(
  { turnId, toolCallId, approved }: Extract<ClientAction, { type: "chat/toolCallConfirmed" }>,
  reasonMessage: string | undefined,
) {
  return {
    type: "chat/toolCallConfirmed",
    turnId,
    toolCallId,
    approved,
    ...present({ reasonMessage }),
  } as const;
}

function pageIdOf(clientId: string): string {
  return clientId.replaceAll(/[^\w-]/gu, "-").slice(0, 64);
}

async function rename({ host, feed, sender }: ActionContext, title: string): Promise<void> {
  sender.may("write");
  if (feed.key === null) throw refused("a session has a title after its first message");
  await host.machine.actions.rename(feed.key, { title }, sender.signal);
  feed.actOnSession({ type: "session/titleChanged", title }, sender.origin);
}

async function archive({ host, feed, sender }: ActionContext, isArchived: boolean): Promise<void> {
  sender.may("write");
  if (feed.key === null) throw refused("a session can be archived after its first message");
  await host.machine.actions.archive(feed.key, { archived: isArchived }, sender.signal);
  feed.actOnSession({ type: "session/isArchivedChanged", isArchived }, sender.origin);
}

function setClient(
  { feed, sender }: ActionContext,
  action: Extract<SessionAction, { type: `session/activeClient${string}` }>,
): void {
  const clientId = action.type === "session/activeClientSet" ? action.activeClient.clientId : action.clientId;
  if (clientId !== sender.origin.clientId) throw refused("a client speaks for itself only");
  feed.actOnSession(action, sender.origin);
}
