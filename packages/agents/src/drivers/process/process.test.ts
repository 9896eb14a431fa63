import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { splitLines } from "@continuo/files";
import fc from "fast-check";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { scratchFolder } from "../../../../../test/scratch-folder.ts";
import { createCalls } from "./calls.ts";
import { environmentOf, heldBackNames } from "./environment.ts";
import { findProgram } from "./find.ts";
import { startAgent } from "./program.ts";
import {
  appendOutput,
  EMPTY_OUTPUT,
  firstAndLast,
  namesUnknownArgument,
  outputText,
} from "./program-output.ts";

const cwd = scratchFolder("process");
const env = { PATH: process.env.PATH ?? "" };
const sh = (script: string) =>
  startAgent({ agent: "test", command: ["sh", "-c", script], cwd, env, graceMs: 100 });

describe("an agent's environment", () => {
  test("has the listed variables and those of the configuration, and none of another agent", () => {
    const inherited = {
      PATH: "/bin",
      LC_ALL: "C",
      ANTHROPIC_API_KEY: "k",
      CLAUDECODE: "1",
      CLAUDE_CODE_ENTRYPOINT: "cli",
      CLAUDE_CONFIG_DIR: "/c",
      NODE_OPTIONS: "--inspect",
      LD_PRELOAD: "x",
      npm_config_x: "y",
      SECRET: "s",
    };
    expect(environmentOf(inherited, { PATH: undefined }, "all")).toEqual({
      LC_ALL: "C",
      ANTHROPIC_API_KEY: "k",
      CLAUDE_CONFIG_DIR: "/c",
      NODE_OPTIONS: "--inspect",
      LD_PRELOAD: "x",
      npm_config_x: "y",
      SECRET: "s",
    });
    expect(heldBackNames(inherited, { SECRET: "given" })).toEqual([
      "LD_PRELOAD",
      "NODE_OPTIONS",
      "npm_config_x",
    ]);
    expect(environmentOf(inherited, { SECRET: "given", PATH: undefined })).toEqual({
      LC_ALL: "C",
      ANTHROPIC_API_KEY: "k",
      CLAUDE_CONFIG_DIR: "/c",
      SECRET: "given",
    });
  });

  test("has NO_COLOR, so that a person who wants no colours is not asked for trust because of it", () => {
    expect(heldBackNames({ NO_COLOR: "1" })).toEqual([]);
    expect(environmentOf({ NO_COLOR: "1" })).toEqual({ NO_COLOR: "1" });
  });

  test("has the variables of every registered agent, by their prefixes", () => {
    const names = ["CLAUDE", "CODEX", "GEMINI", "PI", "OPENCODE", "COPILOT"].map((name) => `${name}_OFFLINE`);
    const inherited = Object.fromEntries(names.map((name) => [name, "1"]));
    expect(environmentOf({ ...inherited, NOBODYS_OFFLINE: "1" })).toEqual(inherited);
  });
});

test.each([
  "CLAUDECODE",
  "GEMINI_CLI",
  "OPENCODE",
  "OPENCODE_PID",
  "CLAUDE_CODE_ENTRYPOINT",
  "CLAUDE_CODE_SSE_PORT",
  "CLAUDE_CODE_SESSION_ID",
  "CLAUDE_CODE_CHILD_SESSION",
  "CODEX_SANDBOX",
  "CODEX_SANDBOX_NETWORK_DISABLED",
  "CODEX_THREAD_ID",
])("%s, which an agent sets for its children, is not inherited unless the configuration sets it", (name) => {
  const inherited = { [name]: "of another", CODEX_HOME: "/codex", CODEX_API_KEY: "key" };
  expect(environmentOf(inherited)).toEqual({ CODEX_HOME: "/codex", CODEX_API_KEY: "key" });
  expect(environmentOf(inherited, {}, "all")).toEqual({ CODEX_HOME: "/codex", CODEX_API_KEY: "key" });
  expect(environmentOf(inherited, { [name]: "given" })).toMatchObject({ [name]: "given" });
});

describe("lines", () => {
  const collect = async (chunks: readonly Uint8Array[], maxChars: number) => {
    const lines: (string | null)[] = [];
    for await (const line of splitLines(from(chunks), { maxChars })) lines.push(line);
    return lines;
  };
  async function* from(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
    yield* chunks;
  }

  test("the lines are the same however the bytes are cut, and U+2028 does not end a line", async () => {
    const line = fc.string({ unit: fc.constantFrom("a", "é", "\u2028", "日", "😀", '"') });
    await fc.assert(
      fc.asyncProperty(fc.array(line), fc.array(fc.nat(40)), async (lines, cuts) => {
        const bytes = new TextEncoder().encode(lines.map((text) => `${text}\n`).join(""));
        const chunks: Uint8Array[] = [];
        let at = 0;
        for (const cut of cuts) {
          chunks.push(bytes.subarray(at, at + cut));
          at += cut;
        }
        chunks.push(bytes.subarray(at));
        expect(await collect(chunks, 1000)).toEqual(lines);
      }),
    );
  });

  test("a line over the limit is null, and the next line is complete", async () => {
    const bytes = new TextEncoder().encode(`${"x".repeat(50)}\nabc\r\nlast`);
    expect(await collect([bytes.subarray(0, 30), bytes.subarray(30)], 10)).toEqual([null, "abc", "last"]);
  });
});

/** A daemon with its own session and environment, which prints its process id when it has both. */
const DAEMON = "env -i PATH=$PATH setsid sh -c 'echo $$; exec sleep 1000' &";

test("the beginning and the end of the output are kept, with the number of characters between them", () => {
  const limits = { headChars: 4, tailChars: 3 };
  const of = (...texts: readonly string[]): string =>
    outputText(texts.reduce((all, text) => appendOutput(all, text, limits), EMPTY_OUTPUT));
  expect(of("abc")).toBe("abc");
  expect(of("abc", "defg")).toBe("abcdefg");
  expect(of("abcdefgh")).toBe("abcd\n… 1 characters left out …\nfgh");
  expect(of("ab", "cdef", "ghij", "k")).toBe("abcd\n… 4 characters left out …\nijk");
  expect(firstAndLast("1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n")).toBe("1\n2\n3\n…\n6\n7\n8\n9\n10");
});

test.each([
  ["error: unrecognized subcommand 'app-server'", true],
  ["error: unexpected argument '--x' found", true],
  ["error: unknown option '--input-format'", true],
  ["Unknown argument: acp", true],
  ["cannot read the settings", false],
])("%j says that an argument is unknown: %s", (text, is) => expect(namesUnknownArgument(text)).toBe(is));

describe("a program", () => {
  test("is found after an unreadable folder in the search path", () => {
    const folder = scratchFolder("path");
    // Even root cannot open this folder, because the link leads to itself.
    symlinkSync("circle", join(folder, "circle"));
    expect(findProgram("sh", `${folder}/circle:/bin`, "/")).toBe("/bin/sh");
  });

  test("is found on the search path, or by its path", () => {
    expect(findProgram("sh", "/nowhere:/bin", "/")).toBe("/bin/sh");
    expect(findProgram("./bin/sh", "", "/")).toBe("/bin/sh");
    expect(findProgram("no-such-program", env.PATH, "/")).toBe(null);
  });

  test("that does not exist is agent_missing", async () => {
    const start = startAgent({ agent: "test", command: ["no-such-program"], cwd, env });
    await expect(start).rejects.toMatchObject({ code: "agent_missing" });
  });

  test("reads and prints lines, and has the given environment", async () => {
    await using program = await sh('read line; echo "got $line"; env | grep -c =');
    await program.send("hello");
    const lines: (string | null)[] = [];
    for await (const line of program.lines) lines.push(line);
    expect(lines[0]).toBe("got hello");
    expect(Number(lines[1])).toBeLessThan(8);
    expect(await program.ended).toEqual({ code: 0, signal: null });
  });

  test("a failure is reported with the program's stderr", async () => {
    await using program = await sh("echo broken >&2; exit 3");
    await program.ended;
    const failure = program.failed("ended");
    expect(failure.message).toBe("test ended (it ended with code 3)");
    expect(failure.hint).toBe("Read what it printed: broken");
    expect(failure.details).toEqual({
      agent: "test",
      command: "sh",
      code: 3,
      signal: null,
      stderr: "broken",
    });
  });

  test("that printed no message in time gets an error that says what it did instead", async () => {
    await using silent = await sh("exec sleep 1000");
    expect(silent.late("did not answer", 5)).toMatchObject({
      message: "test hangs: it printed nothing, and did not answer within 5 ms",
      details: { fault: "hangs" },
    });
    await using other = await sh("echo hello; echo '<html>'; exec sleep 1000");
    const lines = other.lines[Symbol.asyncIterator]();
    await lines.next();
    await lines.next();
    expect(other.late("did not answer", 5)).toMatchObject({
      message: "test prints text that is not its protocol, and did not answer within 5 ms",
      hint: "Read what it printed: hello\n<html>",
      details: { fault: "other text", stdout: "hello\n<html>" },
    });
    await using speaking = await sh("echo '{}'; exec sleep 1000");
    await speaking.lines[Symbol.asyncIterator]().next();
    expect(speaking.late("did not answer", 5).message).toBe("test did not answer within 5 ms");
    await using old = await sh("echo \"error: unrecognized subcommand 'x'\" >&2; exit 2");
    await old.ended;
    expect(old.failed("ended before it answered")).toMatchObject({
      message: expect.stringMatching(/^test is too old, or another program: .* \(it ended with code 2\)$/u),
      details: { fault: "too old" },
    });
  });

  test("is ended with all processes that it started, including a daemon and a process that ignores signals", async () => {
    const program = await sh(
      "trap '' TERM HUP; setsid sleep 1000 & echo $!; (trap '' TERM; sleep 1000) & echo $!; echo $$; sleep 1000",
    );
    const pids: number[] = [];
    for await (const line of program.lines) {
      pids.push(Number(line));
      if (pids.length === 3) break;
    }
    onTestFinished(() => pids.forEach(killIfThere));
    // The program would be awaited for ever if it were not killed, so the test has its own limit.
    expect(await Promise.race([program.end().then(() => "ended"), sleep(30_000, "still running")])).toBe(
      "ended",
    );
    for (const pid of pids) await expect.poll(() => isRunning(pid)).toBe(false);
    await program.end();
  });

  test("that ended counts as ended, even if a daemon that Continuo cannot end holds its output", async () => {
    await using program = await sh(`${DAEMON} read line; echo last words; exit 3`);
    const lines: (string | null)[] = [];
    for await (const line of program.lines) {
      lines.push(line);
      // The program continues after the daemon has left its group.
      if (lines.length === 1) await program.send("");
    }
    const daemon = Number(lines[0]);
    onTestFinished(() => void process.kill(daemon));
    expect(lines[1]).toBe("last words");
    expect(await program.ended).toEqual({ code: 3, signal: null });
    expect(isRunning(daemon)).toBe(true);
  });

  test("that ended leaves no timer that would keep our own process alive", async () => {
    const [set, clear] = [vi.spyOn(globalThis, "setInterval"), vi.spyOn(globalThis, "clearInterval")];
    onTestFinished(() => [set, clear].forEach((spy) => void spy.mockRestore()));
    // The program closes its output before it ends.
    await using program = await sh("exec >&- 2>&-; read line");
    for await (const line of program.lines) expect(line).toBe("never");
    await program.send("");
    await program.ended;
    expect(set).toHaveBeenCalled();
    expect(clear.mock.calls.flat()).toEqual(
      expect.arrayContaining(set.mock.results.map(({ value }) => value as unknown)),
    );
  });

  test("is ended, even if such a daemon holds its output", async () => {
    await using program = await sh(`${DAEMON} read line`);
    let daemon = 0;
    for await (const line of program.lines) {
      daemon = Number(line);
      break;
    }
    onTestFinished(() => void process.kill(daemon));
    await program.end();
    expect(isRunning(daemon)).toBe(true);
  });

  test("requests without an answer are rejected when the program ends", async () => {
    await using program = await sh("read line; echo not json; exit 4");
    const calls = createCalls(program);
    await expect(calls.call({ method: "x" })).rejects.toMatchObject({
      code: "agent_failed",
      message: expect.stringContaining("ended before it answered"),
    });
    await expect(calls.call({ method: "y" })).rejects.toMatchObject({ code: "agent_failed" });
  });
});

function killIfThere(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** Returns false for a zombie, which has ended. */
function isRunning(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z");
  } catch {
    return false;
  }
}
