/** Any value that an agent or a callback in plain JavaScript can produce, and a run that receives it. */

import { type Agent, ContinuoError, type Run, type StoredEvent } from "@continuo/core/model";
import { type OpenedStore, openStore } from "@continuo/store";
import { executeRun, runOnce, startRun, startSession, wake } from "@continuo/store/sessions";
import fc from "fast-check";
import { expect } from "vitest";
import { eventsOf } from "./harness/log.ts";

/** The values are made each time, because some can be read only once. */
type Make = () => unknown;

function throwing(): never {
  throw new Error("it cannot be read");
}

function revoked(): unknown {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

function nested(levels: number): unknown {
  let value: unknown = 0;
  for (let level = 0; level < levels; level++) value = { value };
  return value;
}

/** The value looks plain when it is checked, but cannot be written as JSON. */
function changing(): unknown {
  let reads = 0;
  return {
    get text() {
      reads += 1;
      return reads < 3 ? "text" : 1n;
    },
  };
}

const CIRCLE: Record<string, unknown> = {};
CIRCLE.self = CIRCLE;

/** The linter treats the name of the property as a mistake. */
const THEN: string = "then";

const HOSTILE: Readonly<Record<string, Make>> = {
  "a getter that throws": () => ({
    get text() {
      return throwing();
    },
  }),
  "a getter that throws a revoked proxy": () => ({
    get text() {
      throw revoked();
    },
  }),
  "a getter that changes": changing,
  "a revoked proxy": revoked,
  "a proxy that refuses every access": () =>
    new Proxy({}, { get: throwing, has: throwing, ownKeys: throwing, getPrototypeOf: throwing }),
  "a toJSON that throws": () => ({ toJSON: throwing }),
  "a toJSON that gives a bigint": () => ({ toJSON: () => 1n }),
  "a toString that throws": () => ({ toString: throwing, [Symbol.toPrimitive]: throwing }),
  "a bigint": () => ({ list: [1, 1n] }),
  "a symbol": () => Symbol("nothing"),
  "a function": () => throwing,
  "a circle": () => CIRCLE,
  "something deep": () => nested(5_000),
  "a long list": () => new Array(4_000_000_000),
  "half a character": () => "\ud800",
  "a long text": () => "x".repeat(300_000),
  "a thenable that throws": () => Object.defineProperty({}, THEN, { get: throwing }),
  "a promise that rejects": () => {
    const promise = Promise.reject(revoked());
    promise.catch(() => undefined);
    return promise;
  },
  "an error without a message": () => Object.defineProperty(new Error(), "message", { get: throwing }),
  "a ContinuoError with details that throw": () =>
    new ContinuoError("unavailable", "no", {
      details: {
        get why() {
          return throwing();
        },
      },
    }),
  "a ContinuoError with an unknown code": () =>
    Object.assign(new ContinuoError("unavailable", "no"), { code: 1n, message: Symbol("m"), details: null }),
  "an error of ours that is live": () =>
    new ContinuoError("session_live", "no", { details: { began: revoked() } }),
  "an error of ours that cannot be native": () => new ContinuoError("native_unavailable", "no"),
};

const made: fc.Arbitrary<Make> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .constantFrom(...Object.keys(HOSTILE))
      .map((name) => Object.assign(HOSTILE[name] as Make, { [fc.toStringMethod]: () => name })),
  },
  fc
    .anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withSet: true,
      withTypedArray: true,
      withSparseArray: true,
      withNullPrototype: true,
    })
    .map((value) => () => value),
);

const KINDS = (
  "text thinking message tool_call tool_call_update tool_result plan usage title mode permission_request " +
  "permission_decision native_session diagnostics error turn_completed"
).split(" ");
const FIELDS = (
  "delta messageId content model usage stopReason toolCallId toolName toolInput title status entries total costUsd " +
  "ref verifiedBy replayedAs reason happened steps by message details"
).split(" ");
const RESULT_FIELDS = ["stopReason", "usage", "costUsd", "nativeRef", "value"] as const;
const SOUND = { delta: "words", toolCallId: "c", toolName: "tool", toolInput: {}, content: [], status: "ok" };

/** Returns an object whose field holds the value, directly or through a getter. */
function withField(base: object, field: string, make: Make): object {
  const value = make();
  return Object.defineProperty({ ...base }, field, { enumerable: true, configurable: true, value });
}

type AgentStep = (tell: (event: unknown) => Promise<void>) => unknown;

const step: fc.Arbitrary<AgentStep> = fc.oneof(
  fc.record({ make: made }).map(
    ({ make }): AgentStep =>
      (tell) =>
        tell(make()),
  ),
  fc
    .record({
      type: fc.constantFrom(...KINDS),
      field: fc.constantFrom(...FIELDS),
      make: made,
      waits: fc.boolean(),
    })
    .map(
      ({ type, field, make, waits }): AgentStep =>
        (tell) => {
          const told = tell(withField({ ...SOUND, type }, field, make));
          // An agent does not have to wait.
          return waits ? told : undefined;
        },
    ),
  fc.record({ make: made }).map(
    ({ make }): AgentStep =>
      (tell) => {
        const event: Record<string, unknown> = { ...SOUND, type: "tool_call", toolInput: { list: [] } };
        const told = tell(event);
        (event.toolInput as { list: unknown[] }).list.push(make());
        event.toolName = make();
        return told;
      },
  ),
);

const end: fc.Arbitrary<() => unknown> = fc.oneof(
  fc.record({ make: made }).map(
    ({ make }) =>
      () =>
        make(),
  ),
  fc.record({ field: fc.constantFrom(...RESULT_FIELDS), make: made }).map(
    ({ field, make }) =>
      () =>
        withField({}, field, make),
  ),
  fc.record({ make: made }).map(({ make }) => () => {
    throw make();
  }),
);

interface AnyRun {
  readonly steps: readonly AgentStep[];
  readonly end: () => unknown;
  /** True if the agent answers synchronously, without a promise. */
  readonly isPlain: boolean;
  readonly onStored: {
    readonly nth: number;
    readonly how: "throws" | "gives" | "rejects";
    readonly make: Make;
  } | null;
  readonly abort: { readonly afterStep: number; readonly make: Make } | null;
  readonly capabilities: Make | null;
  readonly continuation: "auto" | false;
  /** The agent has a native session from an earlier turn. */
  readonly isNative: boolean;
}

const anyRun: fc.Arbitrary<AnyRun> = fc.record({
  steps: fc.array(step, { maxLength: 3 }),
  end,
  isPlain: fc.boolean(),
  onStored: fc.option(
    fc.record({
      nth: fc.nat(3),
      how: fc.constantFrom("throws" as const, "gives" as const, "rejects" as const),
      make: made,
    }),
  ),
  abort: fc.option(fc.record({ afterStep: fc.nat(3), make: made }), { freq: 5 }),
  capabilities: fc.option(made, { freq: 3 }),
  continuation: fc.constantFrom("auto" as const, false as const),
  isNative: fc.boolean(),
});

const ENDS: ReadonlySet<string> = new Set(["run_completed", "run_failed", "run_cancelled", "run_timed_out"]);

interface EndedRun {
  readonly status: Run["status"] | undefined;
  /** Events of the log that end the run. */
  readonly ends: number;
  /** Runs that the next process finds without an end. */
  readonly interrupted: readonly string[];
}

async function runAny(store: OpenedStore, any: AnyRun): Promise<EndedRun> {
  const { sessionId } = await startSession(store);
  if (any.isNative) await runOnce(store, NATIVE, "before", { sessionId });
  const { runId } = await startRun(store, sessionId, "go");
  const controller = new AbortController();
  const { onStored } = any;
  let stored = 0;
  await executeRun(store, agentOf(any, controller), runId, {
    continuation: any.continuation,
    signal: controller.signal,
    timeoutMs: 200,
    graceMs: 0,
    ...(onStored === null ? {} : { onStored: () => callback(onStored, stored++) }),
  }).catch(() => undefined);
  const events: readonly StoredEvent[] = (await eventsOf(store, sessionId)).filter(
    (event) => event.runId === runId,
  );
  return {
    status: (await store.getRun(runId))?.status,
    ends: events.filter(({ type }) => ENDS.has(type)).length,
    interrupted: (await wake(store, sessionId)).interrupted,
  };
}

/** Checks the property with this number of runs. */
export async function expectOneEnd(numRuns: number): Promise<void> {
  await using store = await openStore("memory:");
  await fc.assert(
    fc.asyncProperty(anyRun, async (any) => {
      expect(await runAny(store, any)).toEqual({
        status: expect.stringMatching(/^(?:completed|failed|cancelled|timeout)$/u),
        ends: 1,
        interrupted: [],
      });
    }),
    { numRuns },
  );
}

function callback({ nth, how, make }: NonNullable<AnyRun["onStored"]>, count: number): unknown {
  if (count !== nth) return undefined;
  if (how === "throws") throw make();
  return how === "gives" ? make() : Promise.reject(make());
}

const NATIVE: Agent = {
  name: "odd",
  capabilities: () => Promise.resolve({ native: true }),
  execute: () => Promise.resolve({ nativeRef: { agent: "odd", sessionId: "n", location: null, cwd: null } }),
};

function agentOf(
  { steps, end: last, isPlain, abort, capabilities }: AnyRun,
  controller: AbortController,
): Agent {
  const execute = async (tell: (event: unknown) => Promise<void>): Promise<unknown> => {
    for (const [at, one] of steps.entries()) {
      if (abort?.afterStep === at) controller.abort(abort.make());
      await Promise.resolve(one(tell)).catch(() => undefined);
    }
    return last();
  };
  return {
    name: "odd",
    capabilities: () => (capabilities === null ? { native: true } : capabilities()) as never,
    execute: (_, { onEvent }) => {
      const tell = onEvent as (event: unknown) => Promise<void>;
      return (isPlain ? last() : execute(tell)) as never;
    },
  };
}
