/** `continuo trust`, and the parts of the configuration that a command loads. */

import { mkdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { createHome, type Home } from "./home.ts";
import { runHere } from "./in-process.ts";

let home: Home;
const FILE = "agents:\n  claude:\n    command: ./\u001b[31mrun\n    model: m\n";

beforeEach(() => {
  home = createHome();
  mkdirSync(join(home.path, "app/.git"), { recursive: true });
});

const record = () => join(home.path, ".continuo/trust.json");
const listed = async () => JSON.parse((await runHere(home, ["trust", "--list", "--json"])).stdout);

describe("continuo trust", () => {
  test("prints what is trusted, keeps the record readable only for this user, and lists the present state", async () => {
    home.write("app/continuo.yaml", FILE);
    home.write("app/src/x", "");
    const trusted = await runHere(home, ["trust"], { cwd: join(home.path, "app/src") });
    expect(trusted).toEqual({
      code: 0,
      stderr: "",
      stdout: 'trusted  ~/app\ntrusted  ~/app/continuo.yaml\n  agents.claude.command: "./\\u001b[31mrun"\n',
    });
    expect(statSync(record()).mode & 0o777).toBe(0o600);
    const path = join(home.path, "app/continuo.yaml");
    const row = { path, sha256: expect.stringMatching(/^[0-9a-f]{64}$/u), trustedAt: expect.anything() };
    const folder = { path: join(home.path, "app"), trustedAt: expect.anything(), state: "trusted" };
    expect(await listed()).toEqual([folder, { ...row, state: "trusted" }]);
    home.write("app/continuo.yaml", `${FILE}#`);
    expect(await listed()).toEqual([folder, { ...row, state: "changed" }]);
    rmSync(path);
    expect(await listed()).toEqual([folder, { ...row, state: "gone" }]);
    expect(await runHere(home, ["trust", "--remove", "app"])).toMatchObject({
      code: 0,
      stdout: "no longer trusted  ~/app\nno longer trusted  ~/app/continuo.yaml\n",
    });
    expect(await runHere(home, ["trust", "--list"])).toMatchObject({ stdout: "Nothing is trusted.\n" });
    expect(await runHere(home, ["trust", "--remove", "app"])).toMatchObject({ code: 3 });
  });

  test("a folder without a file is trusted as a folder, and the files that each agent finds there are printed", async () => {
    home.write("app/.claude/settings.json", "{}");
    home.write("app/.mcp.json", "{}");
    home.write("app/opencode.json", "{}");
    home.write("app/src/x", "");
    expect(await runHere(home, ["trust", "app/src"])).toMatchObject({
      code: 0,
      stdout:
        "trusted  ~/app\n  claude: .claude/settings.json, .mcp.json\n  opencode: opencode.json\n  copilot: .mcp.json\n",
    });
    expect(await listed()).toMatchObject([{ path: join(home.path, "app"), state: "trusted" }]);
  });

  test("a person who names a file trusts only that file", async () => {
    home.write("app/continuo.yaml", FILE);
    const trusted = await runHere(home, ["trust", "app/continuo.yaml", "--json"]);
    const path = join(home.path, "app/continuo.yaml");
    expect(JSON.parse(trusted.stdout)).toMatchObject({ path, folder: null });
    expect(await listed()).toMatchObject([{ path }]);
  });

  test("a missing folder is not_found, and an invalid file is not trusted", async () => {
    expect((await runHere(home, ["trust", "nowhere"])).code).toBe(3);
    home.write("app/continuo.yaml", "agents:\n  claude:\n    comand: x\n");
    const wrong = await runHere(home, ["trust", "app"]);
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain(
      `${join(home.path, "app/continuo.yaml")}:3: there is no key "comand" in agents.claude; did you mean command?`,
    );
    expect(await listed()).toEqual([]);
  });

  test("a record that cannot be read is not overwritten", async () => {
    home.write(".continuo/trust.json", "{");
    home.write("app/continuo.yaml", FILE);
    expect((await runHere(home, ["trust", "app"])).code).toBe(4);
    expect(readFileSync(record(), "utf8")).toBe("{");
  });
});
