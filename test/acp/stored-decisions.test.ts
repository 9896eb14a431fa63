/**
 * The answer to a permission request reaches an agent only after it is stored, so that the log of a crashed run shows
 * what the agent may have done.
 */

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Store } from "@continuo/core/model";
import { openStore } from "@continuo/store";
import { runOnce } from "@continuo/store/sessions";
import { expect, test } from "vitest";
import { toAgent } from "../../packages/agents/src/drivers/link/index.ts";
import { withMethods } from "../intercepted.ts";
import { chunk, DONE, type Json } from "./script.ts";
import { scripted } from "./scripted-program.ts";

const ASK: Json = {
  toolCall: { toolCallId: "t1", title: "make", kind: "execute", rawInput: { command: "make" } },
  options: [
    { optionId: "yes", name: "Yes", kind: "allow_once" },
    { optionId: "no", name: "No", kind: "reject_once" },
  ],
};
/** An agent that received an answer writes its file in much less time. */
const HEARD_WITHIN_MS = 400;

/** A store whose appends with an event of this type wait. */
function heldStore(store: Store, type: string) {
  const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const held = withMethods(store, {
    append: async (sessionId, events, options) => {
      if (events.some((event) => event.type === type)) {
        reached.resolve();
        await released.promise;
      }
      return await store.append(sessionId, events, options);
    },
  });
  return { held, reached: reached.promise, release: released.resolve };
}

test.each(["granted", "denied"] as const)(
  "an agent learns that a call is %s only after this is stored",
  async (outcome) => {
    await using store = await openStore("memory:");
    // The agent writes more while it waits for the answer.
    const { driver, cwd } = scripted({
      prompts: { "*": [chunk("I make it."), { ask: ASK }, { touch: "heard" }, chunk("That is all."), DONE] },
    });
    const { held, reached, release } = heldStore(store, "approval_resolved");
    const { sessionId } = await store.createSession({});
    await using agent = toAgent(driver, { cwd, onPermission: async () => ({ outcome, by: "person" }) });
    const run = runOnce(held, agent, "make it", { sessionId });
    await reached;
    await new Promise((resolve) => setTimeout(resolve, HEARD_WITHIN_MS));
    expect(existsSync(join(cwd, "heard"))).toBe(false);
    const asked = await store.read(sessionId, { types: ["approval_requested", "approval_resolved"] });
    expect(asked.events.map(({ type }) => type)).toEqual(["approval_requested"]);
    release();
    expect(await run).toMatchObject({ status: "completed" });
    expect(existsSync(join(cwd, "heard"))).toBe(true);
  },
);

test("a person is asked after the log has the question", async () => {
  await using store = await openStore("memory:");
  const { driver, cwd } = scripted({ prompts: { "*": [{ ask: ASK }, DONE] } });
  const { held, reached, release } = heldStore(store, "approval_requested");
  const { sessionId } = await store.createSession({});
  let isAsked = false;
  await using agent = toAgent(driver, {
    cwd,
    onPermission: async () => {
      isAsked = true;
      const { events } = await store.read(sessionId, { types: ["approval_requested"] });
      expect(events).toHaveLength(1);
      return { outcome: "granted", by: "person" };
    },
  });
  const run = runOnce(held, agent, "make it", { sessionId });
  await reached;
  await new Promise((resolve) => setTimeout(resolve, HEARD_WITHIN_MS));
  expect(isAsked).toBe(false);
  release();
  expect(await run).toMatchObject({ status: "completed" });
  expect(isAsked).toBe(true);
});

test("a permission that could not be stored does not reach the agent", async () => {
  await using store = await openStore("memory:");
  const { driver, cwd, sent } = scripted({
    prompts: { "*": [{ ask: ASK }, { result: { stopReason: "cancelled" } }] },
  });
  const failing = withMethods<Store>(store, {
    append: async (sessionId, events, options) => {
      if (events.some(({ type }) => type === "approval_resolved")) throw new Error("the disk is full");
      return await store.append(sessionId, events, options);
    },
  });
  const { sessionId } = await store.createSession({});
  await using agent = toAgent(driver, {
    cwd,
    onPermission: async () => ({ outcome: "granted", by: "person" }),
  });
  await expect(runOnce(failing, agent, "make it", { sessionId, graceMs: 5_000 })).rejects.toThrow();
  expect(JSON.stringify(sent())).not.toContain('"selected"');
});
