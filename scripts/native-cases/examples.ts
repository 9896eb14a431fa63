/** The example sessions: small conversations that Continuo lists on a machine without sessions. */

import { join } from "node:path";
import { entryIdsIn } from "../../test/agents/pi/driver.ts";
import type { Sandbox } from "../../test/agents/sandbox.ts";
import { type ScriptedTurn, text, thinking, tool } from "../../test/model-servers/index.ts";
import type { RecordedAgent } from "./case.ts";
import { type ClaudeStage, withClaude } from "./claude-stage.ts";
import { type CodexStage, withCodex } from "./codex-stage.ts";
import { type GeminiStage, withGemini } from "./gemini.ts";
import { holdNamed, type OpencodeStage, withOpencode } from "./opencode.ts";
import { type PiStage, withPi } from "./pi-stage.ts";

const CALENDAR = {
  "calendar/leap.js": `export function isLeapYear(year) {
  return year % 4 === 0;
}
`,
  "calendar/leap.test.js": `import assert from "node:assert";
import test from "node:test";
import { isLeapYear } from "./leap.js";

test("every fourth year is a leap year", () => {
  assert.equal(isLeapYear(2024), true);
  assert.equal(isLeapYear(2025), false);
});
`,
  "calendar/package.json": '{ "name": "calendar", "type": "module" }\n',
};

const WEDDING = {
  "wedding/guests.csv": "name,table\nNoor,2\nIda,1\nTheo,2\nAnders,1\nMei,3\n",
  "wedding/seats.py": `import csv

with open("guests.csv") as file:
    for row in csv.DictReader(file):
        print(row["table"], row["name"])
`,
};

const LEAP_YEARS: readonly ScriptedTurn[] = [
  {
    user: "Our calendar shows a 29 February 2100. Can you find out why?",
    answers: [
      [
        thinking("2100 is divisible by 100 but not by 400. The rule is probably too simple."),
        text("I look at the rule and at its test."),
        tool("Read", { file_path: "ROOT/calendar/leap.js" }),
        tool("Read", { file_path: "ROOT/calendar/leap.test.js" }),
      ],
      [
        text(
          "`isLeapYear` only asks whether four divides the year. Years that end a century are no leap years, " +
            "unless 400 divides them: 2000 was one, 2100 will not be. Shall I mend it?",
        ),
      ],
    ],
  },
  {
    user: "Yes, please, with a test for both.",
    answers: [
      [
        tool("Edit", {
          file_path: "ROOT/calendar/leap.js",
          old_string: "return year % 4 === 0;",
          new_string: "return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);",
        }),
        tool("Edit", {
          file_path: "ROOT/calendar/leap.test.js",
          old_string: "  assert.equal(isLeapYear(2025), false);\n});\n",
          new_string:
            "  assert.equal(isLeapYear(2025), false);\n});\n\n" +
            'test("the end of a century is one only every 400 years", () => {\n' +
            "  assert.equal(isLeapYear(2000), true);\n  assert.equal(isLeapYear(2100), false);\n});\n",
        }),
      ],
      [tool("Bash", { command: "grep -c assert.equal leap.test.js", description: "Count the assertions" })],
      [text("Done: the rule knows centuries now, and the test asks for 2000 and 2100.")],
    ],
  },
];

const MONTH_NAMES: readonly ScriptedTurn[] = [
  {
    user: "How do I show month names in the reader's language?",
    answers: [
      [
        text(
          "`Intl.DateTimeFormat` has them, so there is nothing to translate:\n\n```js\n" +
            'new Intl.DateTimeFormat(language, { month: "long" }).format(date)\n```',
        ),
      ],
    ],
  },
  {
    user: "And the names of the days, in a table?",
    answers: [
      [
        text(
          "The same, with `weekday`:\n\n| option | 6 May 2027 |\n|---|---|\n| `long` | Thursday |\n| `short` | Thu |\n| `narrow` | T |",
        ),
      ],
    ],
  },
  {
    user: "I would rather see the first day of the week.",
    answers: [
      [
        thinking("That differs by country; Intl.Locale knows it."),
        text("`new Intl.Locale(language).getWeekInfo().firstDay` gives 1 for Monday and 7 for Sunday."),
      ],
    ],
  },
];

const SEATS: readonly ScriptedTurn[] = [
  {
    user: "Print the guests table by table, names in alphabetical order.",
    answers: [
      [
        thinking("First see what the script prints now."),
        tool("exec_command", { cmd: "cat seats.py" }),
        tool("exec_command", { cmd: "cat guests.csv" }),
      ],
      [
        tool(
          "apply_patch",
          "*** Begin Patch\n*** Update File: seats.py\n@@\n-    for row in csv.DictReader(file):\n" +
            '+    rows = sorted(csv.DictReader(file), key=lambda row: (row["table"], row["name"]))\n' +
            "+    for row in rows:\n*** End Patch\n",
        ),
      ],
      [tool("exec_command", { cmd: "sort -t, -k2,2 -k1,1 guests.csv | grep -v name" })],
      [text("The guests now come table by table: Anders and Ida, Noor and Theo, then Mei.")],
    ],
  },
  {
    user: "Is there a guest without a table?",
    answers: [
      [tool("exec_command", { cmd: "grep -c ',$' guests.csv" })],
      [text("No, every guest has a table.")],
    ],
  },
  {
    user: "What if we had one long table instead?",
    answers: [[text('Then sort by name alone: `key=lambda row: row["name"]`. The column can stay.')]],
  },
];

const INVITATION: readonly ScriptedTurn[] = [
  {
    user: "Write one friendly sentence for the invitation.",
    answers: [[text("Come hungry, bring comfortable shoes, and stay for the dancing.")]],
  },
];

const KITCHEN = {
  "kitchen/soup.md": "# Soup\n\n- 3 onions\n- 1 litre of stock\n- salt\n\nServes 4.\n",
  "kitchen/bread.md": "# Bread\n\n- 500 g flour\n- 350 g water\n- 10 g salt\n\nOne loaf.\n",
};

const DINNER: readonly ScriptedTurn[] = [
  {
    user: "We are nine tonight. What do I have to buy for soup and bread?",
    answers: [
      [
        thinking("Both recipes first, then the amounts for nine."),
        text("I read both recipes."),
        tool("read_file", { file_path: "soup.md" }),
        tool("read_file", { file_path: "bread.md" }),
      ],
      [
        text(
          "For nine, two and a quarter times the soup and two loaves:\n\n| | |\n|---|---|\n| onions | 7 |\n| stock | 2.25 litres |\n| flour | 1 kg |\n| salt | a good pinch, and 20 g |",
        ),
      ],
    ],
  },
  {
    user: "Write that to shopping.md, please.",
    answers: [
      [
        tool("write_file", {
          file_path: "shopping.md",
          content: "- 7 onions\n- 2.25 litres of stock\n- 1 kg flour\n- salt\n",
        }),
      ],
      [text("The list is in `shopping.md`. You have water.")],
    ],
  },
];

const GARDEN = {
  "garden/beds.json": `{
  "tomatoes": { "litres": 12, "days": 2 },
  "beans": { "litres": 8, "days": 3 },
  "lettuce": { "litres": 5, "days": 1 }
}
`,
};

const WATERING_SUMMARY = "One can a bed was tried and left: lettuce needs water every day.";

const WATERING: readonly ScriptedTurn[] = [
  {
    user: "How much water do the beds need in a week?",
    answers: [
      [
        thinking("Litres a watering, and how many days lie between."),
        text("I look at the list of beds."),
        tool("read", { path: "beds.json" }),
      ],
      [
        tool("bash", {
          command: `node -p 'Object.values(require("./beds.json")).reduce((sum, bed) => sum + (bed.litres * 7) / bed.days, 0)'`,
        }),
      ],
      [text("About 96 litres: 42 for the tomatoes, 19 for the beans, 35 for the lettuce.")],
    ],
  },
  {
    user: "Could one can of ten litres a bed do?",
    answers: [[text("For the beans, yes. The tomatoes would be short, and the lettuce dry by Tuesday.")]],
  },
  {
    user: "Then write down a plan for the week, bed by bed.",
    answers: [
      [
        tool("write", {
          path: "plan.md",
          content:
            "| bed | days | litres |\n|---|---|---|\n| tomatoes | Mon, Wed, Fri, Sun | 12 |\n| beans | Mon, Thu, Sun | 8 |\n| lettuce | every day | 5 |\n",
        }),
      ],
      [text("The plan is in `plan.md`; Monday and Sunday are the days with all three beds.")],
    ],
  },
];

const TRAILS = {
  "hike/trails.csv": "trail,km,climb_m\nLake loop,9,120\nRidge walk,14,780\nMill path,11,310\n",
};

const HIKE: readonly ScriptedTurn[] = [
  {
    user: "Which trail fits a Sunday with children?",
    answers: [
      [
        thinking("Short, and not steep."),
        text("I look at the list, and have the times worked out."),
        tool("read", { filePath: "ROOT/hike/trails.csv" }),
        tool("task", {
          description: "Work out times",
          prompt: "How long does each trail in trails.csv take with children?",
          subagent_type: "general",
        }),
      ],
      [text("The lake loop: nine kilometres and hardly a climb, about three and a half hours.")],
    ],
  },
  {
    user: "How long does each trail in trails.csv take with children?",
    answers: [
      [tool("bash", { command: "tail -n +2 trails.csv", description: "Prints the trails" })],
      [text("Lake loop 3.5 hours, Mill path 4.5, Ridge walk 7.")],
    ],
  },
  { user: "And if it rains?", answers: [[text("Then the mill path: most of it lies in the woods.")]] },
];

const POSTCARD: readonly ScriptedTurn[] = [
  {
    user: "Two lines for a postcard from the lake.",
    answers: [[text("The water is cold, the cake is not.\nWish you were rowing.")]],
  },
];

type Keep = (sandbox: Sandbox, home: string) => Promise<void>;

/** Holds the example conversations of an agent and hands over its home. */
export const holdExamples: Readonly<Partial<Record<RecordedAgent, (keep: Keep) => Promise<void>>>> = {
  claude: (keep) =>
    withClaude({ turns: [...LEAP_YEARS, ...MONTH_NAMES] }, "bare", async (stage) => {
      await holdClaudeExamples(stage);
      await keep(stage.sandbox, stage.claude.configFolder);
    }),
  codex: (keep) =>
    withCodex({ turns: [...SEATS, ...INVITATION] }, async (stage) => {
      await holdCodexExamples(stage);
      await keep(stage.sandbox, stage.codex.home);
    }),
  gemini: (keep) =>
    withGemini({ turns: DINNER }, async (stage) => {
      await holdGeminiExample(stage);
      await keep(stage.sandbox, stage.gemini.home);
    }),
  pi: (keep) =>
    withPi({ turns: WATERING, summary: WATERING_SUMMARY }, async (stage) => {
      await holdPiExample(stage);
      await keep(stage.sandbox, stage.pi.home);
    }),
  opencode: (keep) =>
    withOpencode({ script: { turns: [...HIKE, ...POSTCARD], title: "A hike for Sunday" } }, async (stage) => {
      await holdOpencodeExamples(stage);
      await keep(stage.sandbox, stage.opencode.dataHome);
    }),
};

async function holdClaudeExamples({ sandbox, claude }: ClaudeStage): Promise<void> {
  const cwd = await writeProject(sandbox, "calendar", CALENDAR);
  const leap = { cwd, sessionId: "3a1f0c52-90de-4b7c-8f21-6d5e4c3b2a19", title: "2100 is no leap year" };
  await claude.say(
    LEAP_YEARS.map((turn) => turn.user),
    leap,
  );
  const sessionId = "b7d2e4f6-1a3c-4e5d-9f80-7c6b5a493827";
  const [first, second, third] = MONTH_NAMES.map((turn) => turn.user);
  if (first === undefined || second === undefined || third === undefined)
    throw new Error("a turn is missing");
  const months = await claude.say([first], { cwd, sessionId, title: "Names of months and days" });
  await claude.say([second], { cwd, resume: sessionId });
  const at = String(months.events.findLast((event) => event.type === "assistant")?.uuid);
  await claude.say([third], { cwd, resume: sessionId, at });
}

async function holdCodexExamples({ sandbox, codex }: CodexStage): Promise<void> {
  const cwd = await writeProject(sandbox, "wedding", WEDDING);
  const [first, second, third] = SEATS.map((turn) => turn.user);
  const invitation = INVITATION[0]?.user;
  if (first === undefined || second === undefined || third === undefined || invitation === undefined) {
    throw new Error("a turn is missing");
  }
  const { threadId: seats } = await codex.exec(first, { cwd });
  await codex.exec(second, { cwd, resume: seats });
  const { threadId: oneTable } = await codex.exec(third, { cwd, fork: seats });
  await codex.exec(invitation, { cwd });
  await using server = await codex.appServer();
  await server.request("thread/name/set", { threadId: seats, name: "Guests, table by table" });
  await server.request("thread/name/set", { threadId: oneTable, name: "One long table" });
}

async function holdGeminiExample({ sandbox, gemini }: GeminiStage): Promise<void> {
  const cwd = await writeProject(sandbox, "kitchen", KITCHEN);
  const [first, second] = DINNER.map((turn) => turn.user);
  if (first === undefined || second === undefined) throw new Error("a turn is missing");
  const sessionId = "0d5c1b7e-3f2a-4e6b-9a8d-7c1e2f3a4b5c";
  await gemini.say(first, { cwd, sessionId });
  await gemini.say(second, { cwd, resume: sessionId });
}

/** Goes back to before the second question, so that the session has two branches. */
async function holdPiExample({ sandbox, pi }: PiStage): Promise<void> {
  const cwd = await writeProject(sandbox, "garden", GARDEN);
  const [first, second, third] = WATERING.map((turn) => turn.user);
  if (first === undefined || second === undefined || third === undefined)
    throw new Error("a turn is missing");
  await using talk = pi.talk({ cwd, sessionId: "01997c20-77aa-7b3c-8d15-2f60e4a9b871" });
  await talk.say(first);
  await talk.request("set_session_name", { name: "Watering the garden" });
  const ids = await entryIdsIn(await talk.sessionFile());
  await talk.say(second);
  const last = [...ids.keys()].findLast((said) => said.startsWith("About")) ?? "";
  await talk.extension("go", { to: ids.get(last) ?? "", summarize: true });
  await talk.say(third);
}

/** One session with a sub-agent, and a short one. */
async function holdOpencodeExamples({ sandbox, opencode }: OpencodeStage): Promise<void> {
  const cwd = await writeProject(sandbox, "hike", TRAILS);
  await using server = await opencode.serve(cwd);
  await holdNamed(server, [HIKE[0]?.user ?? "", HIKE[2]?.user ?? ""]);
  const postcard = await server.create({ title: "A postcard" });
  await server.say(postcard, POSTCARD[0]?.user ?? "");
}

async function writeProject(
  sandbox: Sandbox,
  name: string,
  files: Readonly<Record<string, string>>,
): Promise<string> {
  for (const [path, content] of Object.entries(files)) await sandbox.write(path, content);
  await sandbox.repository(name);
  return join(sandbox.root, name);
}
