/**
 * Is a history linearizable? Every call took effect at one moment between its start and its end, and the
 * moments together are a run of one log: the head grows by one with each append, a token by one with each
 * lease, an append is made by the greatest token, a refusal told the truth.
 *
 * The order of the writes is known: sequences and tokens say it. Taking for each the earliest moment that
 * its place allows is the best one can do, so that a history has a valid order if and only if this finds it.
 */

interface Call {
  /** Nanoseconds by a clock that all callers share. */
  readonly start: number;
  readonly end: number;
}

export type Operation =
  | (Call & {
      readonly type: "append";
      readonly id: string;
      readonly sequence: number;
      readonly expected?: number;
      readonly token?: number;
    })
  | (Call & {
      readonly type: "conflict";
      readonly id: string;
      readonly expected: number;
      readonly latest: number;
    })
  | (Call & { readonly type: "acquire"; readonly token: number })
  | (Call & { readonly type: "fenced"; readonly token: number; readonly latest: number });

type Append = Extract<Operation, { type: "append" }>;
type Acquire = Extract<Operation, { type: "acquire" }>;
type Change = Append | Acquire;

/** What is wrong, one sentence each; nothing when the history is linearizable. */
export function violationsOf(history: readonly Operation[]): readonly string[] {
  const violations: string[] = [];
  const { appends, repetitions } = appendsOf(history, violations);
  const acquires = history.filter((operation) => operation.type === "acquire");
  checkNumbers(appends, acquires, violations);
  checkAnswers(history, violations);
  if (violations.length === 0) checkOrder(history, inOrder(appends, acquires), violations);
  checkRepetitions(repetitions, violations);
  return violations;
}

interface Repetition {
  readonly first: Append;
  readonly again: Append;
}

/** The call that stored each event, and those that asked again. */
function appendsOf(
  history: readonly Operation[],
  violations: string[],
): { readonly appends: readonly Append[]; readonly repetitions: readonly Repetition[] } {
  const first = new Map<string, Append>();
  const repetitions: Repetition[] = [];
  const byStart = history
    .filter((operation) => operation.type === "append")
    .sort((a, b) => a.start - b.start);
  for (const append of byStart) {
    const known = first.get(append.id);
    if (known === undefined) first.set(append.id, append);
    else repetitions.push({ first: known, again: append });
  }
  for (const { first: one, again } of repetitions) {
    if (one.sequence === again.sequence) continue;
    violations.push(`${one.id} was stored as ${one.sequence}, and again as ${again.sequence}.`);
  }
  return { appends: [...first.values()].sort((a, b) => a.sequence - b.sequence), repetitions };
}

function checkNumbers(appends: readonly Append[], acquires: readonly Acquire[], violations: string[]): void {
  const [base] = appends;
  appends.forEach((append, index) => {
    const expected = (base?.sequence ?? 0) + index;
    if (append.sequence !== expected)
      violations.push(`Instead of ${expected}, ${append.sequence} was given.`);
  });
  const tokens = acquires.map((acquire) => acquire.token).sort((a, b) => a - b);
  tokens.forEach((token, index) => {
    if (token === tokens[index - 1]) violations.push(`The token ${token} was given twice.`);
  });
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

/** Appends in the order of their sequences, each token's after the lease that gave it. */
function inOrder(appends: readonly Append[], acquires: readonly Acquire[]): readonly Change[] {
  const leases = [...acquires].sort((a, b) => a.token - b.token);
  const changes: Change[] = [];
  for (const append of appends) {
    while (append.token !== undefined && (leases[0]?.token ?? Number.POSITIVE_INFINITY) <= append.token) {
      changes.push(leases.shift() as Acquire);
    }
    changes.push(append);
  }
  return [...changes, ...leases];
}

/** Refusals look at the head, or at the greatest token: between the change that made it and the next one. */
function checkOrder(history: readonly Operation[], changes: readonly Change[], violations: string[]): void {
  const conflicts = groupBy(history.filter((operation) => operation.type === "conflict"));
  const fences = groupBy(history.filter((operation) => operation.type === "fenced"));
  let moment = Number.NEGATIVE_INFINITY;
  let greatestToken = 0;
  let headMoment = Number.NEGATIVE_INFINITY;
  let tokenMoment = Number.NEGATIVE_INFINITY;
  for (const change of changes) {
    const looks =
      change.type === "append"
        ? (conflicts.get(change.sequence - 1) ?? []).map((look) => ({ look, since: headMoment }))
        : (fences.get(greatestToken) ?? []).map((look) => ({ look, since: tokenMoment }));
    for (const { look, since } of looks) {
      const at = Math.max(since, look.start);
      if (at > look.end)
        violations.push(`A refusal told ${look.latest} when it was not so any more, or not yet.`);
      moment = Math.max(moment, at);
    }
    moment = Math.max(moment, change.start);
    if (moment > change.end) violations.push(`${nameOf(change)} took effect after it had ended.`);
    if (change.type === "acquire") {
      greatestToken = change.token;
      tokenMoment = moment;
    } else {
      headMoment = moment;
      if (change.token !== undefined && change.token !== greatestToken) {
        violations.push(
          `${nameOf(change)} was made with the token ${change.token}, when ${greatestToken} was given.`,
        );
      }
    }
  }
}

function groupBy<O extends { readonly latest: number }>(
  operations: readonly O[],
): ReadonlyMap<number, readonly O[]> {
  return Map.groupBy(operations, (operation) => operation.latest);
}

/** What was asked again was stored before the answer. */
function checkRepetitions(repetitions: readonly Repetition[], violations: string[]): void {
  for (const { first, again } of repetitions) {
    if (again.end < first.start) violations.push(`${again.id} was answered before it was stored.`);
  }
}

function nameOf(change: Change): string {
  return change.type === "append"
    ? `The append of ${change.sequence}`
    : `The lease with token ${change.token}`;
}
