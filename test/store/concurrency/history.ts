/**
 * Checks whether a history is linearizable: every call took effect at one moment between its start and its end, and in
 * the order of these moments the calls are a valid run of one log. The head grows by one with each append, the token by
 * one with each lease, only the holder of the greatest token appends, and refusals and reads report the state of their
 * moment. A call whose outcome is unknown took effect at any time after its start, or never; the events that readers
 * saw decide.
 *
 * Sequences and tokens give the order of the writes. For each write the check takes the earliest moment that its place
 * allows. No other choice allows more, so the check finds a valid order if and only if there is one.
 */

interface Call {
  /** Nanoseconds by a clock that all callers share. */
  readonly start: number;
  readonly end: number;
}

/** An event as a caller saw it. */
export interface Sight {
  readonly sequence: number;
  readonly id: string;
  readonly chain: string;
}

export type Operation =
  | (Call & {
      readonly type: "append";
      readonly id: string;
      readonly sequence: number;
      readonly chain?: string;
      readonly expected?: number;
      readonly token?: number;
    })
  /** An append whose answer never arrived. */
  | {
      readonly type: "unknown";
      readonly id: string;
      readonly start: number;
      readonly expected?: number;
      readonly token?: number;
    }
  | (Call & {
      readonly type: "conflict";
      readonly id: string;
      readonly expected: number;
      readonly latest: number;
    })
  | (Call & { readonly type: "acquire"; readonly token: number })
  | (Call & { readonly type: "fenced"; readonly token: number; readonly latest: number })
  /** The head of the log, and its hash. */
  | (Call & { readonly type: "head"; readonly latest: number; readonly chain: string })
  /** All events after a sequence, in one read. */
  | (Call & { readonly type: "page"; readonly after: number; readonly events: readonly Sight[] })
  /** All events of one tail from the beginning, each with the moment at which it came. */
  | { readonly type: "tail"; readonly events: readonly (Sight & { readonly at: number })[] };

type Acquire = Extract<Operation, { type: "acquire" }>;

/** The call that stored an event: all calls of its id together. */
interface Stored extends Call {
  readonly type: "stored";
  readonly id: string;
  readonly sequence: number;
  readonly token: number | undefined;
}

type Change = Stored | Acquire;

/** An observation of the head, or of the greatest token. */
interface Look extends Call {
  readonly latest: number;
  readonly what: "refusal" | "read";
}

/** Returns the violations, one sentence each; none if the history is linearizable. */
export function violationsOf(history: readonly Operation[]): readonly string[] {
  const violations: string[] = [];
  checkSights(history, violations);
  checkAnswers(history, violations);
  const stored = storedIn(history, violations);
  const acquires = history.filter((operation) => operation.type === "acquire");
  checkNumbers(stored, acquires, violations);
  if (violations.length === 0) checkOrder(history, inOrder(stored, acquires), violations);
  return violations;
}

function sightsOf(operation: Operation): readonly Sight[] {
  if (operation.type === "page" || operation.type === "tail") return operation.events;
  if (operation.type !== "append") return [];
  return [{ sequence: operation.sequence, id: operation.id, chain: operation.chain ?? "" }];
}

/** Checks that all callers saw the same event with the same hash at each sequence, and each event once. */
function checkSights(history: readonly Operation[], violations: string[]): void {
  const ids = new Map<number, string>();
  const sequences = new Map<string, number>();
  const chains = new Map<number, string>();
  const same = <K, V>(known: Map<K, V>, key: K, value: V, what: string): void => {
    const before = known.get(key);
    if (before === undefined) known.set(key, value);
    else if (before !== value) violations.push(`${what} ${key} is ${before}, and then ${value}.`);
  };
  for (const operation of history) {
    for (const { sequence, id, chain } of sightsOf(operation)) {
      same(ids, sequence, id, "The event");
      same(sequences, id, sequence, "The sequence of");
      if (chain !== "") same(chains, sequence, chain, "The hash of");
    }
    if (operation.type === "page") checkContiguous(operation.events, operation.after, "A page", violations);
    if (operation.type === "tail") checkContiguous(operation.events, 0, "A tail", violations);
  }
  for (const operation of history) {
    if (operation.type === "head" && operation.latest > 0)
      same(chains, operation.latest, operation.chain, "The hash of");
  }
  checkKnown(history, sequences, violations);
}

function checkContiguous(events: readonly Sight[], after: number, who: string, violations: string[]): void {
  events.forEach(({ sequence }, index) => {
    const expected = after + index + 1;
    if (sequence !== expected) violations.push(`${who} shows ${sequence} where ${expected} belongs.`);
  });
}

/** Checks that the log has no event that was refused or that no caller appended. */
function checkKnown(
  history: readonly Operation[],
  seen: ReadonlyMap<string, number>,
  violations: string[],
): void {
  const appended = new Set<string>();
  for (const operation of history) {
    if (operation.type === "append" || operation.type === "unknown") appended.add(operation.id);
  }
  for (const [id, sequence] of seen) {
    if (!appended.has(id))
      violations.push(`${id} is stored as ${sequence}, although no call got this answer.`);
  }
}

function checkAnswers(history: readonly Operation[], violations: string[]): void {
  for (const operation of history) {
    if (operation.type === "append" && operation.expected !== undefined) {
      if (operation.sequence !== operation.expected + 1) {
        violations.push(
          `${operation.id} expected ${operation.expected}, and was stored as ${operation.sequence}.`,
        );
      }
    } else if (operation.type === "conflict" && operation.latest === operation.expected) {
      violations.push(`${operation.id} was refused although it expected ${operation.latest}.`);
    } else if (operation.type === "fenced" && operation.latest <= operation.token) {
      violations.push(`The token ${operation.token} was fenced by ${operation.latest}.`);
    }
  }
}

/** Each stored event with the earliest start of its calls, and the first moment at which it was certainly stored. */
function storedIn(history: readonly Operation[], violations: string[]): readonly Stored[] {
  const calls = Map.groupBy(
    history.filter((operation) => operation.type === "append" || operation.type === "unknown"),
    ({ id }) => id,
  );
  const seen = new Map<string, { readonly sequence: number; readonly end: number }>();
  const see = (id: string, sequence: number, end: number): void => {
    seen.set(id, { sequence, end: Math.min(end, seen.get(id)?.end ?? end) });
  };
  for (const operation of history) {
    if (operation.type === "append") see(operation.id, operation.sequence, operation.end);
    if (operation.type === "page")
      for (const { id, sequence } of operation.events) see(id, sequence, operation.end);
    if (operation.type === "tail") for (const { id, sequence, at } of operation.events) see(id, sequence, at);
  }
  const stored: Stored[] = [];
  for (const [id, { sequence, end }] of seen) {
    const own = calls.get(id) ?? [];
    const start = Math.min(...own.map((call) => call.start));
    if (end < start) violations.push(`${id} was there before anybody appended it.`);
    for (const { expected } of own) {
      if (expected !== undefined && sequence !== expected + 1)
        violations.push(`${id} expected ${expected}, and is there as ${sequence}.`);
    }
    stored.push({ type: "stored", id, sequence, start, end, token: own[0]?.token });
  }
  return stored.sort((a, b) => a.sequence - b.sequence);
}

function checkNumbers(stored: readonly Stored[], acquires: readonly Acquire[], violations: string[]): void {
  const [base] = stored;
  stored.forEach(({ sequence }, index) => {
    const expected = (base?.sequence ?? 0) + index;
    if (sequence !== expected) violations.push(`Instead of ${expected}, ${sequence} was given.`);
  });
  const tokens = acquires.map((acquire) => acquire.token).sort((a, b) => a - b);
  tokens.forEach((token, index) => {
    if (token === tokens[index - 1]) violations.push(`The token ${token} was given twice.`);
  });
}

/** The events in the order of their sequences; those of a token follow the lease that granted it. */
function inOrder(stored: readonly Stored[], acquires: readonly Acquire[]): readonly Change[] {
  const leases = [...acquires].sort((a, b) => a.token - b.token);
  const changes: Change[] = [];
  for (const event of stored) {
    while (event.token !== undefined && (leases[0]?.token ?? Number.POSITIVE_INFINITY) <= event.token) {
      changes.push(leases.shift() as Acquire);
    }
    changes.push(event);
  }
  return [...changes, ...leases];
}

function headLooks(history: readonly Operation[]): Map<number, readonly Look[]> {
  const looks = history.flatMap((operation): readonly Look[] => {
    if (operation.type === "conflict") return [{ ...operation, what: "refusal" }];
    if (operation.type === "head") return [{ ...operation, what: "read" }];
    if (operation.type !== "page") return [];
    return [{ ...operation, latest: operation.after + operation.events.length, what: "read" }];
  });
  return Map.groupBy(looks, (look) => look.latest);
}

function tokenLooks(history: readonly Operation[]): Map<number, readonly Look[]> {
  const looks = history.flatMap((operation): readonly Look[] =>
    operation.type === "fenced" ? [{ ...operation, what: "refusal" }] : [],
  );
  return Map.groupBy(looks, (look) => look.latest);
}

/** Checks that each observation happened after the change that made its value, and before the next change. */
function checkOrder(history: readonly Operation[], changes: readonly Change[], violations: string[]): void {
  const heads = headLooks(history);
  const tokens = tokenLooks(history);
  let moment = Number.NEGATIVE_INFINITY;
  let head = (changes.find((change) => change.type === "stored")?.sequence ?? 1) - 1;
  let headMoment = Number.NEGATIVE_INFINITY;
  let token = 0;
  let tokenMoment = Number.NEGATIVE_INFINITY;
  const look = (looks: Map<number, readonly Look[]>, value: number, since: number): void => {
    for (const { start, end, latest, what } of looks.get(value) ?? []) {
      const at = Math.max(since, start);
      if (at > end)
        violations.push(`A ${what} reported ${latest} after it had changed, or before it was reached.`);
      moment = Math.max(moment, at);
    }
    looks.delete(value);
  };
  for (const change of changes) {
    if (change.type === "stored") look(heads, head, headMoment);
    else look(tokens, token, tokenMoment);
    moment = Math.max(moment, change.start);
    if (moment > change.end) violations.push(`${nameOf(change)} took effect after it had ended.`);
    if (change.type === "acquire") {
      token = change.token;
      tokenMoment = moment;
    } else {
      head = change.sequence;
      headMoment = moment;
      if (change.token !== undefined && change.token !== token) {
        violations.push(
          `${nameOf(change)} was made with the token ${change.token} when the newest token was ${token}.`,
        );
      }
    }
  }
  look(heads, head, headMoment);
  look(tokens, token, tokenMoment);
  for (const latest of [...heads.keys(), ...tokens.keys()])
    violations.push(`${latest} was reported, but never reached.`);
}

function nameOf(change: Change): string {
  return change.type === "stored"
    ? `The append of ${change.sequence}`
    : `The lease with token ${change.token}`;
}
