/** `doctor sessions --fix`: a plan for each hidden session, a question, and then the changes. */

import { type AgentAnswer, askAgent } from "@continuo/agents/handoff";
import { AGENT_LABELS, ContinuoError, isContinuoError, shellWord } from "@continuo/core/model";
import { visibleLine } from "@continuo/core/transcript";
import { placesOf } from "@continuo/files";
import { formatOf } from "@continuo/native";
import { type ReturnedSession, returnHiddenSession } from "@continuo/native/editing";
import {
  canAsk,
  confirm,
  createOutput,
  createProgress,
  errorToJson,
  paintFor,
  plural,
  type Shell,
  screenOf,
  toJsonText,
} from "../terminal/index.ts";
import { type MissedSession, missedToJson, type SessionsFlags, STILL_MISSED } from "./missed-sessions.ts";

interface Plan {
  readonly missed: MissedSession;
  readonly returned: ReturnedSession | null;
  readonly error: ContinuoError | null;
  /** The answer of the agent itself, if it was asked. */
  readonly answer?: AgentAnswer;
}

/** Exit code 4 if a chosen session is still missing at the end. */
export async function fixSessions(
  missed: readonly MissedSession[],
  flags: SessionsFlags,
  shell: Shell,
): Promise<number> {
  const plans: Plan[] = [];
  for (const one of chosenOf(missed, flags.fix)) plans.push(await planOf(one, shell));
  const todo = plans.filter(isTodo);
  const output = createOutput(shell.stdout);
  if (!flags.json) await output.write(draw(plans, shell));
  if (flags.dryRun || todo.length === 0) {
    if (flags.json) await output.write(`${toJsonText(plans.map(toJson), 2)}\n`);
    else await output.write(todo.length === 0 ? "Nothing can be changed.\n" : "Nothing was written.\n");
    return plans.length > 0 ? STILL_MISSED : 0;
  }
  await ask(todo, flags, shell);
  const done: Plan[] = [];
  for (const plan of plans) done.push(isTodo(plan) ? await change(plan, flags, shell) : plan);
  if (flags.json) await output.write(`${toJsonText(done.map(toJson), 2)}\n`);
  else await output.write(`\n${drawDone(done, shell)}`);
  return done.every(isDone) ? 0 : STILL_MISSED;
}

/** Errors: `not_found` for a name that no hidden session has, `ambiguous`. */
function chosenOf(missed: readonly MissedSession[], fix: SessionsFlags["fix"]): readonly MissedSession[] {
  if (fix === undefined || fix === true) return missed.filter(({ facts }) => !facts.intended);
  return [...new Set(fix.map((id) => namedBy(id, missed)))];
}

function namedBy(id: string, missed: readonly MissedSession[]): MissedSession {
  const wanted = id.toLowerCase();
  const matches = missed.filter(({ found: { agent, sessionId, location } }) =>
    [sessionId, `${agent}:${sessionId}`, location].some((name) => name.toLowerCase().startsWith(wanted)),
  );
  const [match] = matches;
  if (match === undefined) {
    throw new ContinuoError("not_found", `no hidden session has the name ${JSON.stringify(id)}`, {
      hint: "Run `continuo doctor sessions --all` to see all of them.",
    });
  }
  if (matches.length === 1) return match;
  throw new ContinuoError("ambiguous", `${JSON.stringify(id)} names ${matches.length} hidden sessions`, {
    hint: "Give more of the id, AGENT:ID, or the path of the file.",
    details: { matches: matches.map(({ found }) => found.location) },
  });
}

async function change({ missed }: Plan, { verify }: SessionsFlags, shell: Shell): Promise<Plan> {
  const done = await planOf(missed, shell, "in place");
  return verify === false || !isDone(done) ? done : await withAnswer(done, shell);
}

/** Gives the agent a copy of the session, and asks whether the agent shows it. */
async function withAnswer(done: Plan, shell: Shell): Promise<Plan> {
  const places = placesOf(shell);
  const { found } = done.missed;
  using progress = createProgress(shell);
  progress.show(`Asking ${AGENT_LABELS[found.agent]} about ${found.sessionId}`);
  const returned = done.returned?.newLocation ?? found.location;
  const again = await (await formatOf(found.agent)).recognise(returned, places);
  if (again === null) return done;
  const { cwd } = done.missed;
  const signal = shell.signal === undefined ? {} : { signal: shell.signal };
  return { ...done, answer: await askAgent(again, { places, cwd, ...signal }) };
}

/** A refusal for one session does not stop the work on the others. */
async function planOf(missed: MissedSession, shell: Shell, write?: "in place"): Promise<Plan> {
  const places = placesOf(shell);
  try {
    const options = write === undefined ? { places } : { places, write };
    return { missed, returned: await returnHiddenSession(missed, options), error: null };
  } catch (error) {
    if (!isContinuoError(error)) throw error;
    return { missed, returned: null, error };
  }
}

function isTodo({ returned }: Plan): boolean {
  return returned !== null && returned.steps.length > 0;
}

function isDone({ returned, answer }: Plan): boolean {
  return returned !== null && returned.trashId !== null && answer?.outcome !== "missing";
}

/** Errors: `usage` if nobody can be asked, `interrupted` if the person answers no. */
async function ask(todo: readonly Plan[], flags: SessionsFlags, shell: Shell): Promise<void> {
  if (flags.yes) return;
  const question = `change ${plural(todo.length, "session")}`;
  if (!canAsk(shell)) {
    throw new ContinuoError("usage", `cannot ask whether to ${question}: there is no terminal`, {
      hint: "Confirm it with --yes, or see the plan with --dry-run.",
    });
  }
  if (await confirm(`${question.replace("change", "Change")}? The old state goes to the trash.`, shell))
    return;
  throw new ContinuoError("interrupted", "nothing was changed");
}

function draw(plans: readonly Plan[], shell: Shell): string {
  const paint = paintFor(screenOf(shell, shell.stdout));
  return plans
    .map(({ missed, returned, error }) => {
      const head = `${nameOf(missed)}  ${paint(missed.cause, "dim")}`;
      if (error !== null) return `${head}\n  ${paint(visibleLine(error.message), "red")}\n`;
      const steps = returned?.steps ?? [];
      const lines = steps.length > 0 ? steps : [otherWay(missed, returned)];
      return `${head}\n${lines.map((line) => `  ${visibleLine(tilded(line, shell))}\n`).join("")}`;
    })
    .join("");
}

function otherWay({ facts }: MissedSession, returned: ReturnedSession | null): string {
  const command = returned?.command ?? null;
  return command === null ? facts.bringsBack : `run \`${command.map(shellWord).join(" ")}\``;
}

function drawDone(done: readonly Plan[], shell: Shell): string {
  const paint = paintFor(screenOf(shell, shell.stdout));
  const lines = done.flatMap(({ missed, returned, error, answer }) => {
    if (error !== null) return [`${nameOf(missed)}  ${paint(visibleLine(error.message), "red")}`];
    if (returned === null || returned.trashId === null) return [];
    const undo = `continuo session restore ${shellWord(returned.trashId)}`;
    const asked = answer === undefined ? [] : [`  ${visibleLine(tilded(sentenceOf(answer), shell))}`];
    const state =
      answer?.outcome === "missing" ? paint("still missing", "red") : paint("back in the list", "green");
    return [`${nameOf(missed)}  ${state}`, ...asked, `  undo: ${undo}`];
  });
  const count = done.filter(isDone).length;
  return `${lines.map((line) => `${line}\n`).join("")}${plural(count, "session is", "sessions are")} back. \`continuo session trash\` lists what was there before.\n`;
}

function sentenceOf(answer: AgentAnswer): string {
  switch (answer.outcome) {
    case "shown":
      return `shown by ${answer.by}, which has ${plural(answer.messages, "message")} of it`;
    case "read":
      return `read by ${answer.by}, which has ${plural(answer.messages, "message")} of it; it has no list to ask`;
    case "missing":
      return `${answer.by} does not show it`;
    case "unasked":
      return `the agent was not asked: ${answer.why}`;
  }
}

function nameOf({ found: { agent, sessionId } }: MissedSession): string {
  return visibleLine(`${agent}:${sessionId}`);
}

function tilded(text: string, { home }: Shell): string {
  return home === "/" ? text : text.replaceAll(home, "~");
}

function toJson({ missed, returned, error, answer }: Plan): Readonly<Record<string, unknown>> {
  const { steps = [], command = null, newLocation = missed.found.location, trashId = null } = returned ?? {};
  return {
    ...missedToJson(missed),
    steps,
    command,
    newLocation,
    trashId,
    error: error === null ? null : errorToJson(error),
    asked: answer ?? null,
  };
}
