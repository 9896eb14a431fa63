/**
 * Makes the fixtures and the example sessions again: `node scripts/make-fixtures.ts [--to FOLDER] [AGENT[/CASE] |
 * examples/AGENT …]`, all of them where none is named. `--to` does not change the fixtures of the project, and adds the
 * files with which versions of an agent are compared.
 *
 * The real agents hold scripted conversations with a scripted model on loopback. What they write becomes
 * `test/fixtures/AGENT/CASE/`: `home/` (only session files, with stable paths and without the agents' own prompts),
 * `requests.json` (which session was resumed, and the conversation that the model was sent then, as the items of
 * `test/agents/items.ts`) and `README.md`. Example sessions become `examples/sessions/AGENT/`.
 */

import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { installAgents, PINNED } from "../test/agents/install.ts";
import { runWithLoopbackOnly } from "../test/agents/network.ts";
import { NETWORK_VARIABLE } from "../test/agents/sandbox.ts";
import { homeShapes } from "./agent-versions/home-shape.ts";
import { FAILED_FILE, HOME_SHAPES_FILE, SENT_SHAPE_FILE } from "./agent-versions/recordings.ts";
import { ShapeBuilder } from "./agent-versions/shape.ts";
import type { Keep, NativeCase, RecordedAgent } from "./native-cases/case.ts";
import { claudeCases } from "./native-cases/claude.ts";
import { codexCases } from "./native-cases/codex.ts";
import { copilotCases } from "./native-cases/copilot.ts";
import { holdExamples } from "./native-cases/examples.ts";
import { geminiCases } from "./native-cases/gemini.ts";
import { LEFT_OUT, STABLE_HOME } from "./native-cases/left-out.ts";
import { opencodeCases } from "./native-cases/opencode.ts";
import { piCases } from "./native-cases/pi.ts";
import { conversationOf, recordHome } from "./native-cases/record.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const FIXTURES = join(ROOT, "test/fixtures");
const LAST_WORDS = "Go on.";
const PROGRAMS: Readonly<Record<RecordedAgent, string>> = {
  claude: "Claude Code",
  codex: "Codex",
  gemini: "Gemini CLI",
  pi: "pi",
  opencode: "opencode",
  copilot: "GitHub Copilot CLI",
};

/** A sentence of the fixture's README: what of the session was left unchanged. */
const UNTOUCHED: Readonly<Partial<Record<RecordedAgent, string>>> = {
  opencode: "Tables that hold no sessions were left out. No row was added, removed or moved.",
};

async function makeFixture(one: NativeCase, fixtures: string): Promise<void> {
  const folder = join(fixtures, one.agent, one.name);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  let sizeBytes = 0;
  const keep: Keep = {
    async home(sandbox, from) {
      sizeBytes = await recordHome({ sandbox, agent: one.agent, from, to: join(folder, "home") });
      if (fixtures !== FIXTURES) await writeJson(join(folder, HOME_SHAPES_FILE), await homeShapes(from));
    },
    async request(sandbox, sessionId, request) {
      const sent = { sessionId, items: conversationOf(request, sandbox, LAST_WORDS) };
      await writeJson(join(folder, "requests.json"), sent);
      if (fixtures === FIXTURES) return;
      const builder = new ShapeBuilder();
      builder.add("body", request.body);
      await writeJson(join(folder, SENT_SHAPE_FILE), builder.shape());
    },
  };
  await one.hold(LAST_WORDS, keep);
  await writeFile(join(folder, "README.md"), readmeFor(one));
  process.stderr.write(`${one.agent}/${one.name}: ${sizeBytes} bytes\n`);
}

async function writeJson(path: string, value: unknown): Promise<void> {
  await writeFile(path, `${JSON.stringify(value, null, 2)}\n`);
}

/** If a conversation cannot be held, the others are still compared. */
async function makeElsewhere(one: NativeCase, fixtures: string): Promise<void> {
  try {
    await makeFixture(one, fixtures);
  } catch (error) {
    process.stderr.write(`${one.agent}/${one.name}: ${String(error)}\n`);
    await writeFile(join(fixtures, one.agent, one.name, FAILED_FILE), String(error));
  }
}

function readmeFor({ agent, name, shows, made }: NativeCase): string {
  const { version } = PINNED[agent];
  return `# ${agent}/${name}

${shows}

Written by ${PROGRAMS[agent]} ${version}, made by ${made}, in a sandbox against a scripted model.
\`requests.json\` holds what the model was sent of this conversation when the session was resumed.

Made by \`node scripts/make-fixtures.ts ${agent}/${name}\`. The session files stand as the agent wrote them,
except that the scratch folder became \`${STABLE_HOME}\`, and that the agent's own prompts, catalogues and
request logs became \`${LEFT_OUT}\`. ${UNTOUCHED[agent] ?? "No line was added, removed or moved."}
`;
}

/** `examples/sessions/AGENT` can be named as the agent's home. */
async function makeExamples(agent: RecordedAgent): Promise<void> {
  const to = join(ROOT, "examples/sessions", agent);
  await holdExamples[agent]?.(async (sandbox, from) => {
    const sizeBytes = await recordHome({ sandbox, agent, from, to });
    process.stderr.write(`examples of ${agent}: ${sizeBytes} bytes\n`);
  });
}

async function main(wanted: readonly string[], fixtures: string): Promise<void> {
  const isWanted = (one: NativeCase): boolean =>
    wanted.length === 0 || wanted.includes(one.agent) || wanted.includes(`${one.agent}/${one.name}`);
  const cases = [
    ...claudeCases,
    ...codexCases,
    ...geminiCases,
    ...piCases,
    ...opencodeCases,
    ...copilotCases,
  ].filter(isWanted);
  const examples = (Object.keys(holdExamples) as RecordedAgent[]).filter(
    (agent) => fixtures === FIXTURES && (wanted.length === 0 || wanted.includes(`examples/${agent}`)),
  );
  if (cases.length + examples.length === 0) throw new Error(`no case is called ${wanted.join(" or ")}`);
  for (const one of cases) await (fixtures === FIXTURES ? makeFixture : makeElsewhere)(one, fixtures);
  for (const agent of examples) await makeExamples(agent);
}

const { values, positionals } = parseArgs({ options: { to: { type: "string" } }, allowPositionals: true });
if (process.env[NETWORK_VARIABLE] === undefined) {
  await installAgents();
  process.exitCode = await runWithLoopbackOnly(
    [process.execPath, fileURLToPath(import.meta.url), ...process.argv.slice(2)],
    ROOT,
  );
} else {
  await main(positionals, values.to ?? FIXTURES);
}
