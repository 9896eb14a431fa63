import {
  type Agent,
  type AgentEvent,
  type AgentRequest,
  ContinuoError,
  type NativeRef,
} from "@continuo/core/model";
import { expect, test } from "vitest";
import { attempt, type NativePlace, type Outcome } from "./attempt.ts";
import { createTurn, type Journal } from "./journal/index.ts";
import { createStops } from "./stops.ts";

const REF: NativeRef = { agent: "toy", sessionId: "n1", location: null, cwd: null };
const OTHER: NativeRef = { ...REF, sessionId: "n2" };
const TEXT: AgentEvent = { type: "text", delta: "hi" };

type OnEvent = (event: AgentEvent) => Promise<void>;
type Execute = (onEvent: OnEvent, given: { readonly signal: AbortSignal }) => unknown;

interface Attempted {
  readonly outcome: Outcome;
  readonly places: readonly NativePlace[];
  readonly heard: readonly string[];
  readonly kept: readonly string[];
}

function where(ref: NativeRef, happened: NativePlace["happened"]): AgentEvent {
  return { type: "native_session", ref, happened, verifiedBy: "agent" };
}

async function run(execute: Execute, nativeRef?: NativeRef, stops = noStops()): Promise<Attempted> {
  const [places, heard, kept]: [NativePlace[], string[], string[]] = [[], [], []];
  const journal = {
    keep: async (entries: readonly { readonly type: string }[]) => {
      kept.push(...entries.map(({ type }) => type));
    },
  } as unknown as Journal;
  const agent = {
    name: "toy",
    execute: async (_request: AgentRequest, options: { onEvent: OnEvent; signal: AbortSignal }) =>
      await execute(options.onEvent, options),
  } as unknown as Agent;
  const outcome = await attempt({
    agent,
    request: { session: { sessionId: "s" }, nativeRef } as unknown as AgentRequest,
    adapterOpts: { extra: 1 },
    turn: createTurn(),
    journal,
    stops,
    graceMs: 0,
    onWhere: (place) => places.push(place),
    onHeard: ({ type }) => heard.push(type),
  });
  return { outcome, places, heard, kept };
}

function noStops() {
  return createStops({ signal: undefined, timeoutMs: undefined, maxDurationMs: undefined });
}

function unavailable(reason: string) {
  return {
    type: "unavailable",
    error: {
      code: "native_unavailable",
      message: `cannot continue the session natively in toy: ${reason}`,
      details: { sessionId: "s", agent: "toy", reason },
    },
  };
}

test("an agent without a native session returns its result", async () => {
  const { outcome, places, heard } = await run(async (onEvent) => {
    await onEvent(TEXT);
    return { stopReason: "end_turn" };
  });
  expect(outcome).toEqual({ type: "done", result: { stopReason: "end_turn" }, omissions: [] });
  expect([places, heard]).toEqual([[], ["text"]]);
});

test("an agent that returns nothing has ended well", async () => {
  expect((await run(() => undefined)).outcome).toEqual({ type: "done", result: {}, omissions: [] });
});

test("an agent gets the options of its adapter, and a signal", async () => {
  let given: unknown;
  await run((_, options) => {
    given = options;
  });
  expect(given).toMatchObject({ extra: 1, signal: expect.any(AbortSignal) });
});

test("a new native session is reported as the agent made it", async () => {
  const { places } = await run((onEvent) => onEvent(where(REF, "created")));
  expect(places).toEqual([where(REF, "created")]);
});

test("a native continuation is confirmed before anything else is kept", async () => {
  const { outcome, places, heard, kept } = await run(async (onEvent) => {
    for (const type of ["diagnostics", "mode", "title"]) await onEvent({ type } as AgentEvent);
    await onEvent(where(REF, "resumed"));
    await onEvent(TEXT);
  }, REF);
  expect(outcome.type).toBe("done");
  expect(places).toEqual([where(REF, "resumed")]);
  expect(heard).toEqual(["diagnostics", "mode", "title", "native_session", "text"]);
  expect(kept).toEqual(["diagnostics_reported", "mode_changed", "session_updated"]);
});

test("an agent that continues in another native session forked it", async () => {
  const { outcome, places } = await run((onEvent) => onEvent(where(OTHER, "resumed")), REF);
  expect([outcome.type, places]).toEqual(["done", [where(OTHER, "forked")]]);
});

test("an agent that answers before it confirms is unavailable, and nothing of it is kept", async () => {
  const { outcome, kept } = await run(async (onEvent) => {
    await expect(onEvent(TEXT)).rejects.toMatchObject({ code: "native_unavailable" });
    await expect(onEvent(where(REF, "resumed"))).rejects.toMatchObject({ code: "native_unavailable" });
  }, REF);
  expect(outcome).toMatchObject(unavailable("toy did not confirm that it continued n1"));
  expect(kept).toEqual([]);
});

test("an agent that begins another native session instead is unavailable", async () => {
  const { outcome, places } = await run(
    (onEvent) => onEvent(where(OTHER, "created")).catch(() => undefined),
    REF,
  );
  expect(outcome).toMatchObject(unavailable("toy began another native session instead"));
  expect(places).toEqual([]);
});

test("an agent that is refused is aborted with the reason", async () => {
  let reason: unknown;
  await run(async (onEvent, { signal }) => {
    await onEvent(TEXT).catch(() => undefined);
    reason = signal.reason;
  }, REF);
  expect(reason).toMatchObject({ code: "native_unavailable" });
});

test("a result may confirm the native session", async () => {
  const confirmed = await run(() => ({ nativeRef: REF }), REF);
  expect(confirmed.outcome).toEqual({ type: "done", result: { nativeRef: REF }, omissions: [] });
  expect(confirmed.places).toEqual([{ ref: REF, verifiedBy: "none", happened: "resumed" }]);
  const moved = await run(() => ({ nativeRef: OTHER }), REF);
  expect(moved.places).toEqual([{ ref: OTHER, verifiedBy: "none", happened: "forked" }]);
});

test("a result that names no native session confirms nothing", async () => {
  for (const result of [{}, { nativeRef: { sessionId: "" } }]) {
    const { outcome } = await run(() => result, REF);
    expect(outcome).toMatchObject(unavailable("toy did not report its native session"));
  }
});

test("a result repeats what was confirmed without effect", async () => {
  const { places } = await run(async (onEvent) => {
    await onEvent(where(REF, "resumed"));
    return { nativeRef: REF };
  }, REF);
  expect(places).toHaveLength(1);
  expect((await run(() => ({ nativeRef: REF }))).places).toEqual([]);
});

const LIVE = new ContinuoError("session_live", "another program has the session open");
const BEGAN = new ContinuoError("session_live", "another program writes", { details: { began: true } });
const REFUSED = new ContinuoError("native_unavailable", "no");
const BROKEN = new Error("broken");

test.each([
  ["unavailable", REFUSED],
  ["unavailable", LIVE],
  ["failed", BEGAN],
  ["failed", BROKEN],
])("the outcome is %s when the agent throws: %s", async (type, error) => {
  const { outcome } = await run(() => Promise.reject(error));
  expect(outcome).toEqual({ type, error });
});

test("an agent that throws at once fails as one that throws later", async () => {
  const { outcome } = await run(() => {
    throw BROKEN;
  });
  expect(outcome).toEqual({ type: "failed", error: BROKEN });
});

test("an agent that is cancelled may still end", async () => {
  const stops = noStops();
  stops.end({ status: "cancelled" });
  expect((await run(() => ({ stopReason: "cancelled" }), undefined, stops)).outcome).toEqual({
    type: "done",
    result: { stopReason: "cancelled" },
    omissions: [],
  });
});

test("an agent that does not end after it was cancelled is left, and its late events are refused", async () => {
  const stops = noStops();
  const late = Promise.withResolvers<OnEvent>();
  const execute: Execute = (onEvent) => {
    late.resolve(onEvent);
    stops.end({ status: "cancelled" });
    return Promise.withResolvers<never>().promise;
  };
  expect((await run(execute, undefined, stops)).outcome).toEqual({ type: "left" });
  await expect((await late.promise)(TEXT)).rejects.toMatchObject({
    code: "interrupted",
    message: "cannot store this event: the run has ended",
  });
});
