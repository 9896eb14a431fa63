/** A generated conversation, independent of any agent. The functions of `shapes/` write it in an agent's format. */

import type { Random } from "./random.ts";

export interface BenchTurn {
  readonly prompt: string;
  readonly steps: readonly BenchStep[];
  readonly answer: string;
  /** Milliseconds since 1970 at which the turn began. */
  readonly at: number;
}

/** One model response that calls a tool. */
export interface BenchStep {
  readonly thinking: string;
  readonly tool: "Read" | "Bash" | "Edit";
  readonly input: Readonly<Record<string, string>>;
  readonly output: string;
  readonly isError: boolean;
}

export interface Conversation {
  readonly id: string;
  readonly cwd: string;
  readonly branch: string;
  readonly title: string | null;
  readonly turns: readonly BenchTurn[];
}

/** The list of skills, which an agent adds to the context of its model in every session. */
export const INJECTED: string = [
  "chart: Use this skill before you draw a chart, a dashboard or any picture of numbers",
  "pdf: Use this skill to read, fill in or write a PDF",
  "review: Review the changes of a branch for mistakes, and say which tests are missing",
  "slack: Read and write messages in Slack",
  "keys: Change the keyboard shortcuts of the agent",
]
  .map((line) => `- ${line}. ${line.replace(":", " is chosen when the person asks for")}`)
  .join("\n");

/** The latest time at which a conversation begins. It is fixed, so that no run depends on the date. */
export const NEWEST: number = Date.UTC(2026, 9, 1);

/** A conversation of about `sizeBytes` of text. */
export function makeConversation(random: Random, sizeBytes: number, project: number): Conversation {
  const turns: BenchTurn[] = [];
  let at = NEWEST - random.int(0, 150 * 24 * 3600) * 1000;
  for (let size = 0; size < sizeBytes; ) {
    const turn = makeTurn(random, at, sizeBytes);
    turns.push(turn);
    size += turn.answer.length + turn.steps.reduce((sum, step) => sum + step.output.length * 2 + 900, 1200);
    at += random.int(20, 600) * 1000;
  }
  return {
    id: random.uuid(),
    cwd: `/home/dev/projects/project-${project}`,
    branch: random.pick(["main", "main", "fix/reader", "feature/list"]),
    title: random.next() < 0.3 ? random.prose(40) : null,
    turns,
  };
}

function makeTurn(random: Random, at: number, sizeBytes: number): BenchTurn {
  const largest = Math.min(40_000, Math.max(400, sizeBytes / 6));
  const steps = Array.from({ length: random.int(0, 5) }, (): BenchStep => {
    const tool = random.pick(["Read", "Bash", "Edit"] as const);
    return {
      thinking: random.prose(random.int(40, 500)),
      tool,
      input:
        tool === "Bash"
          ? { command: `npm test -- ${random.hex(6)}` }
          : { file_path: `/home/dev/projects/src/${random.hex(5)}.ts` },
      output: random.code(Math.floor(random.next() ** 3 * largest) + 40),
      isError: random.next() < 0.05,
    };
  });
  return { prompt: random.prose(random.int(20, 400)), steps, answer: random.prose(random.int(60, 1500)), at };
}
