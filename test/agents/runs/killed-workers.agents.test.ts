/**
 * Workers are killed with `kill -9` together with the guardians of their agents, while the real agent answers. When
 * the next attempt asks the model, no program of the killed worker's agent still runs. At the end the answer is
 * complete, and each prompt is stored once.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { openContinuo } from "@continuo/server/runtime";
import { expect, test } from "vitest";
import { guardiansOf, killIfThere } from "../../left-behind/processes.ts";
import { type ModelServer, startModelServer, text } from "../../model-servers/index.ts";
import { bundledProgram } from "../../sizes/shared-programs.ts";
import type { AgentSetup } from "../drivers/contract.ts";
import { SUBJECTS } from "../drivers/subjects/index.ts";
import { makeSandbox, type Sandbox } from "../sandbox.ts";
import { startedIn, told } from "../started-programs.ts";

const KILLS = 8;
/** The text varies, because Gemini CLI ends an answer that repeats itself. */
const STORY = Array.from({ length: 100 }, (_, at) => `Chapter ${at} is ${at * at} pages long.`).join(" ");
const SCRIPT = {
  turns: [
    { user: "Tell me a long story.", answers: [[{ type: "slow" as const, delayMs: 40 }, text(STORY)]] },
    { user: "Remember the number forty-one.", answers: [[text("I keep it in mind.")]] },
  ],
};

async function startWorker(args: readonly string[], agent: string, environment: AgentSetup["environment"]) {
  const env = { ...environment, CODING_AGENT: agent };
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"], env });
  await new Promise<void>((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`the worker ended with ${code}`)));
    createInterface(child.stdout).on("line", (line) => {
      if (line.startsWith("port ")) resolve();
    });
  });
  return child;
}

/**
 * Kills the worker and the guardians of its agent, and returns the processes that the worker started. If `how` is
 * `hangs`, these are stopped first, so that the agent does not notice the end of its input.
 */
async function kill(worker: ChildProcess, sandbox: Sandbox, how = "answers"): Promise<readonly number[]> {
  const left = startedBy(worker, sandbox);
  if (how === "hangs") for (const pid of left) process.kill(pid, "SIGSTOP");
  const exited = new Promise((resolve) => worker.once("exit", resolve));
  for (const guardian of left.flatMap(guardiansOf)) killIfThere(guardian);
  worker.kill("SIGKILL");
  await exited;
  return left;
}

function startedBy({ pid }: ChildProcess, sandbox: Sandbox): readonly number[] {
  const marked = (one: number): boolean =>
    told(() => readFileSync(`/proc/${one}/environ`, "latin1")).includes(`/${pid}/`);
  return startedIn(sandbox).filter(marked);
}

const storiesAsked = (models: ModelServer): number =>
  models.conversation().filter(({ body }) => JSON.stringify(body).includes("Tell me a long story.")).length;

test.each(["claude", "codex", "gemini", "opencode", "pi"] as const)(
  `%s: no program of ${KILLS} killed workers still runs when the next worker asks the model`,
  async (agent) => {
    await using sandbox = await makeSandbox();
    const models = await startModelServer(SCRIPT);
    const { environment, cwd, command } = await SUBJECTS[agent].prepare(sandbox, models.url);
    const url = `sqlite:${join(sandbox.root, "jobs.db")}`;
    const jobs = await bundledProgram("test/runtime/processes/jobs.ts");
    const start = () => startWorker([jobs, url, cwd, ...command], agent, environment);
    const c = await openContinuo(url);
    const session = c.session("j", { create: true });
    let worker = await start();
    try {
      const first = session.send("Remember the number forty-one.", { id: "first", agent });
      expect(await first.result()).toMatchObject({ status: "completed", text: "I keep it in mind." });
      const story = session.send("Tell me a long story.", { id: "story", agent });
      await story;
      let left: readonly number[] = [];
      for (let kills = 0; kills <= KILLS; kills += 1) {
        const before = storiesAsked(models);
        if (kills > 0) worker = await start();
        await expect.poll(() => storiesAsked(models), { timeout: 120_000 }).toBeGreaterThan(before);
        expect(left.filter((pid) => startedIn(sandbox).includes(pid))).toEqual([]);
        if (kills === KILLS) break;
        await sleep(250 * kills);
        left = await kill(worker, sandbox, kills % 2 === 0 ? "answers" : "hangs");
        expect(left).not.toEqual([]);
      }
      expect(await story.result()).toMatchObject({ status: "completed", text: STORY });
      const said = (await session.messages()).filter(({ origin }) => origin === "person");
      expect(said).toHaveLength(2);
    } finally {
      await kill(worker, sandbox);
      await c.close();
      await models.close();
    }
  },
  600_000,
);
