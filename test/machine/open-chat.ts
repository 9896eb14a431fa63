/**
 * A chat as a page sees it: the events of the server, folded as the page folds them, and the requests that a page can
 * send.
 */

import { join } from "node:path";
import type { ChatEvent, ChatState } from "@continuo/core/wire/machine";
import { openStore } from "@continuo/store";
import { foldTurnEvent, NO_RUNNING_TURN, type RunningTurn } from "../../web/state/live.ts";
import { chunk, DONE, type Script } from "../acp/script.ts";
import { SCRIPT, type TalkHome } from "../cli/talk.ts";
import { eventsOf, type OpenMachine } from "./open-machine.ts";

/** Creates a session of Continuo's without a message, and returns its key. */
export async function ownSession(home: TalkHome, title = "a new one"): Promise<string> {
  await using store = await openStore(storeOf(home));
  const cwd = join(home.path, "project");
  const { sessionId } = await store.createSession({ agent: "robot", cwd, title });
  return `continuo:${sessionId}`;
}

const EDIT = { toolCallId: "t1", title: "Edit", kind: "edit", rawInput: { path: "src/a.ts" } };
const DIFF = {
  type: "diff",
  path: "src/a.ts",
  oldText: "const a = 1;\nconst b = 2;\nexport { a, b };\n",
  newText: "const a = 1;\nconst b = 42;\nexport { a, b };\n",
};

/** The prompt `edit it`: the agent asks for permission, with the difference, and reports the answer. */
export const EDITS: NonNullable<Script["prompts"]> = {
  "edit it": [
    chunk("I change it."),
    { update: { sessionUpdate: "tool_call", ...EDIT } },
    {
      ask: {
        toolCall: { ...EDIT, content: [DIFF] },
        options: [
          { optionId: "yes", name: "Yes", kind: "allow_once" },
          { optionId: "ever", name: "Always", kind: "allow_always" },
          { optionId: "no", name: "No", kind: "reject_once" },
        ],
      },
    },
    { update: { sessionUpdate: "tool_call_update", toolCallId: "t1", status: "completed" } },
    chunk("\n\nDone."),
    DONE,
  ],
};

const PERMISSION = [
  { optionId: "yes", name: "Yes", kind: "allow_once" },
  { optionId: "no", name: "No", kind: "reject_once" },
] as const;
const TESTS = {
  toolCallId: "t2",
  title: "Bash",
  kind: "execute",
  rawInput: { command: "node --test timer.test.js" },
};
const WRITTEN = { toolCallId: "t3", title: "Write", kind: "edit", rawInput: { path: "src/a.ts" } };

/**
 * The prompts `test it` and `change it`: a command and a change, each of which a person allows and the agent completes.
 */
export const DONE_CALLS: NonNullable<Script["prompts"]> = {
  "test it": [
    chunk("I run the tests."),
    { update: { sessionUpdate: "tool_call", ...TESTS } },
    { ask: { toolCall: TESTS, options: PERMISSION } },
    {
      update: {
        sessionUpdate: "tool_call_update",
        toolCallId: "t2",
        status: "completed",
        content: [{ type: "content", content: { type: "text", text: "12 tests pass" } }],
      },
    },
    chunk("All of them pass."),
    DONE,
  ],
  "change it": [
    chunk("I change the number."),
    { update: { sessionUpdate: "tool_call", ...WRITTEN } },
    { ask: { toolCall: { ...WRITTEN, content: [DIFF] }, options: PERMISSION } },
    {
      update: {
        sessionUpdate: "tool_call_update",
        toolCallId: "t3",
        status: "completed",
        content: [DIFF],
      },
    },
    chunk("It is changed."),
    DONE,
  ],
};

/** The prompt `wait`: the agent sends two words, and the third one when the file `go` exists next to the script. */
export const WAITING_SCRIPT: Script = {
  ...SCRIPT,
  prompts: {
    ...SCRIPT.prompts,
    ...EDITS,
    ...DONE_CALLS,
    wait: [chunk("one "), chunk("two "), { untilFile: "go" }, chunk("three"), DONE],
  },
};

export function storeOf(home: TalkHome): string {
  return `sqlite:${join(home.path, ".continuo/continuo.db")}`;
}

export interface ChatReader extends AsyncDisposable {
  readonly state: ChatState | null;
  readonly live: RunningTurn;
  readonly events: readonly ChatEvent[];
  /** Resolves when the condition is true; it is checked after every event. Rejects if the stream ends before. */
  until(isSo: (reader: ChatReader) => boolean): Promise<void>;
}

export const pathOf = (key: string, part: string): string =>
  `/v1/machine/sessions/${encodeURIComponent(key)}/chat/${part}`;

export async function readChat(machine: OpenMachine, key: string, token?: string): Promise<ChatReader> {
  const stop = new AbortController();
  const response = await machine.get(pathOf(key, "events"), token, stop.signal);
  const events: ChatEvent[] = [];
  const waiting = new Set<() => void>();
  let state: ChatState | null = null;
  let live = NO_RUNNING_TURN;
  let isOver = false;
  const read = async (): Promise<void> => {
    for await (const { event, data } of eventsOf(response)) {
      const one = { type: event, ...(data as object) } as ChatEvent;
      events.push(one);
      if (one.type === "state") state = one.state;
      else if (one.type !== "moved") live = foldTurnEvent(live, one);
      for (const look of waiting) look();
    }
  };
  const done = read()
    .catch(() => undefined)
    .finally(() => {
      isOver = true;
      for (const look of waiting) look();
    });
  const reader: ChatReader = {
    get state() {
      return state;
    },
    get live() {
      return live;
    },
    events,
    until: (isSo) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (isSo(reader)) resolve();
          else if (isOver) reject(new Error(`the stream ended: ${JSON.stringify(state)}`));
          else return;
          waiting.delete(look);
        };
        waiting.add(look);
        look();
      }),
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await done;
    },
  };
  return reader;
}

/** The text of the agent in the turns that arrived live, including the open text. */
export function saidIn({ live: { messages, open } }: ChatReader): string {
  return [...messages.values()]
    .filter(({ message }) => message.role === "assistant")
    .flatMap(({ message }) =>
      message.content.map((block, at) =>
        block.type !== "text"
          ? ""
          : open?.sequence === message.metadata.sequence && open?.block === at
            ? open.text
            : block.text,
      ),
    )
    .join("");
}

export const idle = ({ state }: ChatReader): boolean => state?.running === null && state.waiting.length === 0;
