/** Kills the two products at random moments, and returns their faults as sentences. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Store } from "@continuo/core/model";
import type { Approval } from "@continuo/server/runtime";
import { openStore } from "@continuo/store";
import { chunk, DONE } from "../../acp/script.ts";
import { SCRIPTED_AGENT } from "../../acp/scripted-program.ts";
import { startModelServer, text, tool } from "../../model-servers/index.ts";
import { bundledProgram, newPostgresDatabase } from "../../sizes/shared-programs.ts";
import { randomFrom } from "../../store/harness/random.ts";
import { type KilledProgram, type KillPlan, startKilled } from "./killed-program.ts";

export interface ListingOptions {
  readonly kills: number;
  readonly seed: number;
  readonly engine?: "sqlite" | "postgres";
}

export interface Findings {
  readonly faults: readonly string[];
  /** The questions that were answered between the kills. */
  readonly questions: number;
  /** The approvals that a person answered between the kills. */
  readonly approvals: number;
  readonly kills: number;
}

/** Questions continue until the program was killed this number of times. */
export async function killTheDesk({ kills, seed, engine = "sqlite" }: ListingOptions): Promise<Findings> {
  const folder = mkdtempSync(join(tmpdir(), "continuo-desk-"));
  const refunds = join(folder, "refunds");
  writeFileSync(refunds, "");
  const slow = { type: "slow", delayMs: 5 } as const;
  await using models = await startModelServer({
    turns: [
      {
        user: "refund",
        answers: [
          [slow, text("I refund it now."), tool("refund", { order: "7" })],
          [slow, text("It is refunded.")],
        ],
      },
    ],
  });
  const program = await bundledProgram("test/runtime/processes/desk.ts");
  const url = await newUrl(engine, folder);
  const desk = startKilled([program, url, `${models.url}/v1`, refunds], {
    kills,
    random: randomFrom(seed),
    lifeMs: 1_500,
  });
  const over = new AbortController();
  const approving = approve(desk, over.signal, "/continuo/v1");
  // The next question fails for the same reason.
  approving.catch(() => undefined);
  let questions = 0;
  const headers = { "x-user": "ann", "content-type": "application/json" };
  try {
    while (desk.kills < kills) {
      const body = JSON.stringify({ id: `q${questions}`, text: `refund ${questions}` });
      await desk.ask("/chat", { method: "POST", headers, body }, async (response) => {
        const words = await response.text();
        return words.includes("It is refunded.") && words.includes('"type":"finish"') ? true : undefined;
      });
      questions++;
    }
    desk.calm();
    const page = await desk.ask("/history", { headers }, (response) => response.text());
    const history = page.split("It is refunded.").length > questions ? [] : ["The history lacks an answer."];
    over.abort();
    const answers = await approving;
    await desk.end();
    await using store = await openStore(url);
    const faults = await faultsOf(store, { sessions: ["customer-ann"], questions, answers });
    const paid = readFileSync(refunds, "utf8").split("\n").length - 1;
    const granted = await grantedOf(store);
    const unapproved = paid > granted ? [`${paid} refunds were made with ${granted} approvals.`] : [];
    const missing = paid < questions ? [`${paid} refunds were made for ${questions} questions.`] : [];
    return {
      faults: [...faults, ...history, ...unapproved, ...missing],
      questions,
      approvals: answers.size,
      kills: desk.kills,
    };
  } finally {
    over.abort();
    await desk.end();
    rmSync(folder, { recursive: true });
  }
}

export async function killTheJobs({ kills, seed, engine = "sqlite" }: ListingOptions): Promise<Findings> {
  const folder = mkdtempSync(join(tmpdir(), "continuo-jobs-"));
  const script = join(folder, "script.json");
  const ask = {
    toolCall: { toolCallId: "t1", title: "make", kind: "execute", rawInput: { command: "make" } },
    options: [
      { optionId: "yes", name: "Yes", kind: "allow_once" },
      { optionId: "no", name: "No", kind: "reject_once" },
    ],
  };
  writeFileSync(
    script,
    JSON.stringify({ prompts: { "*": [{ ask }, { waitMs: 20 }, chunk("It is made."), DONE] } }),
  );
  const program = await bundledProgram("test/runtime/processes/jobs.ts");
  const url = await newUrl(engine, folder);
  const args = [program, url, folder, process.execPath, SCRIPTED_AGENT, script];
  const random = randomFrom(seed);
  try {
    const startedAt = performance.now();
    const calm = await askForJobs(args, { kills: 0, random, lifeMs: 0 }, 0);
    // A process starts, or a question is answered, in about half of the longest life, however busy the machine is.
    const lifeMs = performance.now() - startedAt;
    const killed = await askForJobs(args, { kills, random, lifeMs }, calm.questions);
    const all = calm.questions + killed.questions;
    const answers = new Map([...calm.answers, ...killed.answers]);
    await using store = await openStore(url);
    const sessions = Array.from({ length: all }, (_, at) => `job-${at}`);
    const faults = await faultsOf(store, { sessions, questions: all, answers });
    return { ...killed, faults, approvals: killed.answers.size };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Asks for one job after another, at least one, until the program was killed as often as the plan says. */
async function askForJobs(
  args: readonly string[],
  plan: KillPlan,
  first: number,
): Promise<{
  readonly questions: number;
  readonly kills: number;
  readonly answers: ReadonlyMap<string, number>;
}> {
  const jobs = startKilled(args, plan);
  const over = new AbortController();
  const approving = approve(jobs, over.signal, "");
  approving.catch(() => undefined);
  let questions = 0;
  const headers = { "x-user": "ann" };
  try {
    do {
      const id = `job-${first + questions}`;
      const body = `make ${first + questions}`;
      await jobs.ask(`/jobs/${id}`, { method: "POST", headers, body }, async (response) =>
        response.ok ? true : undefined,
      );
      await jobs.ask(`/jobs/${id}`, { method: "POST", headers, body }, async (response) => {
        const { status } = (await response.json()) as { readonly status: string };
        return status === "completed" || (await isAnswered(jobs, id, headers)) ? true : undefined;
      });
      questions++;
    } while (jobs.kills < plan.kills);
    jobs.calm();
    over.abort();
    return { questions, kills: jobs.kills, answers: await approving };
  } finally {
    over.abort();
    await jobs.end();
  }
}

/** Makes a database with the newest schema. */
async function newUrl(engine: "sqlite" | "postgres", folder: string): Promise<string> {
  if (engine === "sqlite") return `sqlite:${join(folder, "store.db")}`;
  const url = await newPostgresDatabase();
  await (await openStore(url, { migrate: true })).close();
  return url;
}

/** Reads the stream of events until the job has ended, or the program was killed. */
async function isAnswered(
  jobs: KilledProgram,
  id: string,
  headers: Readonly<Record<string, string>>,
): Promise<boolean> {
  return await jobs.ask(`/jobs/${id}/events`, { headers }, async (response) => {
    let words = "";
    for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      words += part;
      if (words.includes('"type":"run_completed"')) return true;
    }
    return undefined;
  });
}

/** A person who grants everything, and gets one confirmation for each approval. */
async function approve(
  program: KilledProgram,
  signal: AbortSignal,
  mount: string,
): Promise<ReadonlyMap<string, number>> {
  const answers = new Map<string, number>();
  const headers = { "x-user": "ann", "content-type": "application/json" };
  while (!signal.aborted) {
    const open = await program.ask(`${mount}/approvals`, { headers }, async (response) =>
      signal.aborted ? [] : response.ok ? ((await response.json()) as Approval[]) : undefined,
    );
    for (const { id } of open) {
      const body = JSON.stringify({ outcome: "granted" });
      await program.ask(`${mount}/approvals/${id}`, { method: "POST", headers, body }, async (response) => {
        if (response.ok || signal.aborted) return true;
        return response.status === 409 ? true : undefined;
      });
      answers.set(id, (answers.get(id) ?? 0) + 1);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return answers;
}

interface Expected {
  readonly sessions: readonly string[];
  readonly questions: number;
  readonly answers: ReadonlyMap<string, number>;
}

async function faultsOf(
  store: Store,
  { sessions, questions, answers }: Expected,
): Promise<readonly string[]> {
  const faults: string[] = [];
  let asked = 0;
  let resolved = 0;
  const decided = new Set<string>();
  for (const sessionId of sessions) {
    /** The completed runs of each question: a person asks the next one only after the answer. */
    const answered: number[] = [];
    for await (const event of eventsOf(store, sessionId)) {
      if (event.type === "message_sent") answered.push(0);
      if (event.type === "run_completed") answered.push((answered.pop() ?? 0) + 1);
      if (event.type !== "approval_resolved") continue;
      resolved++;
      // The ids of a coding agent are only unique within a run.
      decided.add(JSON.stringify([sessionId, event.runId, event.data.approvalId]));
    }
    asked += answered.length;
    for (const [at, runs] of answered.entries()) {
      if (runs !== 1) faults.push(`Question ${at} of ${sessionId} was answered by ${runs} runs.`);
    }
    if (!(await store.verify(sessionId)).ok) faults.push(`The log of ${sessionId} is damaged.`);
  }
  if (asked !== questions)
    faults.push(`${asked} messages of a person are stored for ${questions} questions.`);
  if (resolved !== decided.size)
    faults.push(`${resolved} answers are in the log for ${decided.size} approvals that were asked for.`);
  const granted = await grantedOf(store);
  if (resolved !== granted) faults.push(`${resolved} answers are in the log for ${granted} approvals.`);
  if (answers.size !== granted)
    faults.push(`${answers.size} approvals were answered, and ${granted} are granted.`);
  const left = await store.listRuns({ status: ["pending", "running"] });
  if (left.items.length > 0) faults.push(`${left.items.length} runs have no end.`);
  return faults;
}

interface LoggedEvent {
  readonly type: string;
  readonly runId?: string;
  readonly data: Readonly<Record<string, unknown>>;
}

async function* eventsOf(store: Store, sessionId: string): AsyncGenerator<LoggedEvent> {
  for (let after: number | null = 0; after !== null; ) {
    const page: Awaited<ReturnType<Store["read"]>> = await store.read(sessionId, { after });
    yield* page.events as readonly LoggedEvent[];
    after = page.nextAfter;
  }
}

async function grantedOf(store: Store): Promise<number> {
  return (await store.listClaims({ prefix: "approval/", status: "granted", limit: 1_000 })).items.length;
}
